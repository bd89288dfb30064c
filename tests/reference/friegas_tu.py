"""Friegas Tú in plain Python: a transcription of the rules document of the game.

It is written for reading, apart from the fast implementation, and serves as its oracle.
Every deal is dictated through `reset`; nothing is shuffled and inputs are trusted.
"""

SKIP, LANDLORD, VISITORS, PARTY = 6, 7, 8, 9

PLAY_SKIP = 245
PLAY_LANDLORD = 246
PLAY_VISITORS = 247
PLAY_PARTY = 248
WASH = 249
DECLINE = 250
TAKE = 251  # 251 takes value 1, 255 takes value 5

POTS = [1, 2, 3, 4, 5]
GRID = 7
CENTRE = (3, 3)
LONGEST_SIDE = 4
HIGHEST_SUM = 7


class FriegasTu:
    def __init__(
        self,
        *,
        num_players=4,
        pot_counts=(11, 11, 11, 11, 10),
        num_rounds=3,
        hand_size=None,
        refill_size=None,
        max_decisions=5000,
        reward="outcome",
        recall=True,
    ):
        if hand_size is None:
            hand_size = 5 if num_players == 2 else 3
        if refill_size is None:
            refill_size = hand_size
        self.num_players = num_players
        self.pot_counts = pot_counts  # the dictated decks are made of these pots
        self.num_rounds = num_rounds
        self.hand_size = hand_size
        self.refill_size = refill_size
        self.max_decisions = max_decisions
        self.reward = reward
        self.recall = recall

    def reset(self, *, deck, starting_player):
        self.decks = deck
        self.starting_players = starting_player
        self.decisions = 0
        self.rewards = [0.0] * self.num_players
        self.terminated = False
        self.truncated = False
        self.winners = []
        self.points = [0] * self.num_players
        self.round = 0
        self.start_round()

    # Seats

    def from_the_left_of(self, seat):
        """Every seat, clockwise, the given one last."""
        return [(seat + step) % self.num_players for step in range(1, self.num_players + 1)]

    def relative_seats(self, seat):
        """Every seat, clockwise, the given one first."""
        return [(seat + step) % self.num_players for step in range(self.num_players)]

    # Round

    def start_round(self):
        self.draw_pile = list(self.decks[self.round])
        self.hands = []
        for _ in range(self.num_players):
            self.hands.append(self.draw_pile[: self.hand_size])
            del self.draw_pile[: self.hand_size]
        self.sink = {}  # (row, column) -> value
        self.party = False
        self.discards = []
        self.washed = [[] for _ in range(self.num_players)]
        self.start_turn(self.starting_players[self.round])

    def end_round(self):
        if self.sink:
            self.washed[self.who_takes_what_is_left()].extend(self.sink.values())
            self.sink = {}
        self.end_party()
        scores = [len(pile) for pile in self.washed]
        for seat in range(self.num_players):
            self.points[seat] += scores[seat]
        if self.reward == "score":
            mean = sum(scores) / self.num_players
            self.rewards = [(mean - score) / 54 for score in scores]
        if self.round == self.num_rounds - 1:
            self.end_game()
        else:
            self.round += 1
            self.start_round()

    def who_takes_what_is_left(self):
        seats = self.from_the_left_of(self.active_seat)
        fewest = min(len(self.washed[seat]) for seat in seats)
        seats = [seat for seat in seats if len(self.washed[seat]) == fewest]
        lowest = min(sum(self.washed[seat]) for seat in seats)
        seats = [seat for seat in seats if sum(self.washed[seat]) == lowest]
        return seats[0]

    # End

    def end_game(self):
        self.terminated = True
        fewest = min(self.points)
        best = [seat for seat in range(self.num_players) if self.points[seat] == fewest]
        lowest = min(sum(self.washed[seat]) for seat in best)
        self.winners = [seat for seat in best if sum(self.washed[seat]) == lowest]
        if self.reward == "outcome":
            self.pay_outcome()
        self.nobody_acts()

    def pay_outcome(self):
        n = self.num_players
        k = len(self.winners)
        self.rewards = [-1 / (n - 1)] * n
        for seat in self.winners:
            self.rewards[seat] = (n - k) / (k * (n - 1))

    def nobody_acts(self):
        self.current_player = -1
        self.phase = "over"
        self.pots_due = 0
        self.resolving = None
        self.exempt = []

    # A turn

    def start_turn(self, seat):
        self.active_seat = seat
        self.current_player = seat
        self.phase = "turn"
        self.resolving = None
        self.exempt = []
        if self.party and len(self.hands[seat]) >= 2:
            self.pots_due = 2
        else:
            self.pots_due = 1

    def end_turn(self):
        hand = self.hands[self.active_seat]
        while len(hand) < self.refill_size and self.draw_pile:
            hand.append(self.draw_pile.pop(0))
        seats_with_cards = [s for s in self.from_the_left_of(self.active_seat) if self.hands[s]]
        if seats_with_cards:
            self.start_turn(seats_with_cards[0])
        else:
            self.end_round()

    def step(self, action):
        self.rewards = [0.0] * self.num_players
        self.decisions += 1
        if self.phase == "turn":
            self.play(action)
        elif self.phase == "reaction":
            self.react(action)
        else:
            self.take(action - TAKE + 1)
        if self.decisions == self.max_decisions and not self.terminated:
            self.truncated = True
            self.nobody_acts()

    def play(self, action):
        if action < PLAY_SKIP:
            self.place(action // 49 + 1, action % 49 // GRID, action % GRID)
        elif action == PLAY_SKIP:
            self.discard(SKIP)
            self.end_turn()
        elif action == PLAY_LANDLORD:
            self.discard(LANDLORD)
            self.call_to_the_sink(LANDLORD, self.from_the_left_of(self.active_seat)[:-1])
        elif action == PLAY_VISITORS:
            self.discard(VISITORS)
            self.call_to_the_sink(VISITORS, self.from_the_left_of(self.active_seat))
        elif action == PLAY_PARTY:
            self.hands[self.active_seat].remove(PARTY)
            self.party = True
            self.end_turn()
        else:
            self.wash()

    def place(self, value, row, column):
        self.hands[self.active_seat].remove(value)
        self.sink[(row, column)] = value
        self.pots_due -= 1
        if self.pots_due == 0:
            self.end_turn()

    def wash(self):
        self.washed[self.active_seat].extend(self.sink.values())
        self.sink = {}
        self.end_party()
        self.pots_due = 1

    def discard(self, card):
        self.hands[self.current_player].remove(card)
        self.discards.append(card)

    def end_party(self):
        if self.party:
            self.party = False
            self.discards.append(PARTY)

    # Landlord and Visitors

    def call_to_the_sink(self, card, seats):
        if not self.sink:
            self.end_turn()
            return
        self.pots_due = 0
        self.resolving = card
        self.called = seats
        self.to_be_asked = [seat for seat in seats if SKIP in self.hands[seat]]
        self.ask_the_next()

    def ask_the_next(self):
        if self.to_be_asked:
            self.phase = "reaction"
            self.current_player = self.to_be_asked.pop(0)
        else:
            self.start_takes()

    def react(self, action):
        if action == PLAY_SKIP:
            self.discard(SKIP)
            self.exempt.append(self.current_player)
            if self.draw_pile:
                self.hands[self.current_player].append(self.draw_pile.pop(0))
        self.ask_the_next()

    def start_takes(self):
        self.takers = [seat for seat in self.called if seat not in self.exempt]
        if self.takers:
            self.phase = "take"
            self.current_player = self.takers[0]
        else:
            self.end_turn()

    def take(self, value):
        cells = [cell for cell in sorted(self.sink) if self.sink[cell] == value]
        self.washed[self.current_player].append(self.sink.pop(cells[0]))
        if self.sink:
            self.takers.append(self.takers.pop(0))
            self.current_player = self.takers[0]
        else:
            self.end_party()
            self.end_turn()

    # Legal actions

    def legal_actions(self):
        if self.phase == "turn":
            return self.legal_in_a_turn()
        if self.phase == "reaction":
            return [PLAY_SKIP, DECLINE]
        if self.phase == "take":
            return [TAKE + value - 1 for value in POTS if value in self.sink.values()]
        return []

    def legal_in_a_turn(self):
        hand = self.hands[self.active_seat]
        actions = []
        for value in POTS:
            if value in hand:
                for row, column in self.places_for(value):
                    actions.append((value - 1) * 49 + row * GRID + column)
        if SKIP in hand:
            actions.append(PLAY_SKIP)
        if LANDLORD in hand:
            actions.append(PLAY_LANDLORD)
        if VISITORS in hand:
            actions.append(PLAY_VISITORS)
        if PARTY in hand and not self.party:
            actions.append(PLAY_PARTY)
        if self.sink or not actions:
            actions.append(WASH)
        return actions

    # The sink

    def places_for(self, value):
        if not self.sink:
            return [CENTRE]
        cells = [(row, column) for row in range(GRID) for column in range(GRID)]
        return [cell for cell in cells if self.may_be_placed(value, cell)]

    def may_be_placed(self, value, cell):
        return (
            cell not in self.sink
            and self.touches_a_pot(cell)
            and self.sink_stays_small(cell)
            and self.sums_stay_low(value, cell)
        )

    def touches_a_pot(self, cell):
        row, column = cell
        neighbours = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return any(neighbour in self.sink for neighbour in neighbours)

    def sink_stays_small(self, cell):
        rows = [row for row, column in self.sink] + [cell[0]]
        columns = [column for row, column in self.sink] + [cell[1]]
        height = max(rows) - min(rows) + 1
        width = max(columns) - min(columns) + 1
        return height <= LONGEST_SIDE and width <= LONGEST_SIDE

    def sums_stay_low(self, value, cell):
        row_sum = value + sum(self.sink[pot] for pot in self.sink if pot[0] == cell[0])
        column_sum = value + sum(self.sink[pot] for pot in self.sink if pot[1] == cell[1])
        return row_sum <= HIGHEST_SUM and column_sum <= HIGHEST_SUM

    # Observation

    def observe(self, seat):
        seats = self.relative_seats(seat)
        seen_phase = self.phase_seen_by(seat)
        fields = {
            "phase": [int(seen_phase == phase) for phase in ["turn", "reaction", "take"]],
            "active_seat": [int(other == self.active_seat) for other in seats],
            "hand": [self.hands[seat].count(code) for code in range(1, 10)],
            "cards_in_hand": [len(self.hands[other]) for other in seats],
            "sink": [self.sink.get((r, c), 0) for r in range(GRID) for c in range(GRID)],
            "pots_due": [self.pots_due],
            "resolving": [int(self.resolving == card) for card in [LANDLORD, VISITORS]],
            "party": [int(self.party)],
            "exempt": [int(other in self.exempt) for other in seats],
            "washed": [self.washed[other].count(value) for other in seats for value in POTS],
            "points": [self.points[other] for other in seats],
            "draw_pile": [len(self.draw_pile)],
            "rounds_left": [self.num_rounds - 1 - self.round],
        }
        if self.recall:
            fields["discards"] = self.special_cards_gone()
        return fields

    def phase_seen_by(self, seat):
        """Who was asked for a reaction is known only to the seat that is being asked."""
        if self.phase == "reaction" and seat != self.current_player:
            return "take"
        return self.phase

    def special_cards_gone(self):
        gone = [self.discards.count(card) for card in [SKIP, LANDLORD, VISITORS, PARTY]]
        gone[3] += int(self.party)  # it lies in front of its player
        return gone

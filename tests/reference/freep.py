"""Freep in plain Python: a transcription of the rules document of the game, word by word, as slow and plain as can be.

It is the second, independent implementation that the fast one is compared with, decision by decision.
Every deal is dictated: one deck and one starting player for each round. Inputs are trusted.
"""

WILD, STEAL, LIFE = 10, 11, 12

HIGHER, LOWER, STAND, REVEAL, USE_LIFE, KEEP_LIFE, CLAIM, DECLINE = 0, 1, 2, 3, 4, 5, 6, 7
ANNOUNCE = [8, 9, 10, 11, 12, 13, 14, 15, 16]  # ANNOUNCE_1 … ANNOUNCE_9

PHASES = ["turn start", "call", "life found", "announce", "mine"]


class Freep:
    def __init__(
        self,
        *,
        num_players=2,
        number_counts=(6, 8, 8, 10, 10, 10, 8, 8, 6),
        wilds=3,
        steals=3,
        lives=3,
        wins_to_finish=3,
        idle_passes=3,
        max_decisions=5000,
        reward="outcome",
        recall=True,
    ):
        self.num_players = num_players
        self.num_cards = sum(number_counts) + wilds + steals + lives
        self.wins_to_finish = wins_to_finish
        self.idle_passes = idle_passes
        self.max_decisions = max_decisions
        self.reward = reward
        self.recall = recall

    def reset(self, deck, starting_player):
        self.dealt_decks = deck
        self.starting_players = starting_player
        self.round = 0
        self.decisions = 0
        self.wins = [0] * self.num_players
        self.rewards = [0.0] * self.num_players
        self.winners = []
        self.terminated = False
        self.truncated = False
        self.start_round()

    def legal_actions(self):
        if self.phase == "turn start":
            return [REVEAL, USE_LIFE]
        if self.phase == "call":
            return [HIGHER, LOWER, STAND] if self.can_stand else [HIGHER, LOWER]
        if self.phase == "life found":
            return [USE_LIFE, KEEP_LIFE]
        if self.phase == "announce":
            return list(ANNOUNCE)
        if self.phase == "mine":
            return [CLAIM, DECLINE]
        return []

    def step(self, action):
        self.rewards = [0.0] * self.num_players
        self.decisions += 1
        if self.phase == "turn start":
            self.answer_turn_start(action)
        elif self.phase == "call":
            self.answer_call(action)
        elif self.phase == "life found":
            self.answer_life_found(action)
        elif self.phase == "announce":
            self.answer_announce(action)
        else:
            self.answer_mine(action)
        if self.decisions == self.max_decisions and not self.terminated:
            self.truncated = True
            self.stop_asking()

    # Who is asked what

    def ask(self, seat, phase):
        self.current_player = seat
        self.phase = phase

    def stop_asking(self):
        self.current_player = -1
        self.phase = "over"
        self.last_call = "none"
        self.failed_number = 0
        self.can_stand = False

    # The round

    def start_round(self):
        self.deck = list(self.dealt_decks[self.round])  # index 0 is drawn first
        self.deck_is_turned = False
        self.failures = []  # in the order they fell
        self.won = [[] for seat in range(self.num_players)]  # the last card is the visible one
        self.saved_lives = [0] * self.num_players
        self.idle = 0  # finished passes in a row in which no card entered a won pile
        self.entered = False  # has a card entered a won pile in this pass?
        self.last_call = "none"
        self.failed_number = 0
        self.start_turn(self.starting_players[self.round])

    def end_round(self):
        self.keep_row()
        self.active_lives = 0
        self.saved_lives = [0] * self.num_players
        sizes = [len(pile) for pile in self.won]
        for seat in range(self.num_players):
            if sizes[seat] == max(sizes):
                self.wins[seat] += 1
        if self.reward == "score":
            mean = sum(sizes) / self.num_players
            self.rewards = [(size - mean) / self.num_cards for size in sizes]
        if max(self.wins) == self.wins_to_finish:
            self.end_match()
        else:
            self.round += 1
            self.start_round()

    def end_match(self):
        self.winners = [seat for seat in range(self.num_players) if self.wins[seat] == self.wins_to_finish]
        if self.reward == "outcome":
            n, k = self.num_players, len(self.winners)
            for seat in range(n):
                if seat in self.winners:
                    self.rewards[seat] = (n - k) / (k * (n - 1))
                else:
                    self.rewards[seat] = -1 / (n - 1)
        self.terminated = True
        self.stop_asking()

    # The deck runs out

    def is_out_of_cards(self):
        return not self.deck and not self.failures

    def can_reveal(self):
        """Whether there is a next card, the failure pile turned over if that was due; if not, the round ends."""
        if self.deck:
            return True
        if self.is_out_of_cards():
            return False
        self.finish_pass()
        if self.idle_passes > 0 and self.idle >= self.idle_passes:
            return False
        self.deck = self.failures
        self.failures = []
        self.deck_is_turned = True
        return True

    def finish_pass(self):
        self.idle = 0 if self.entered else self.idle + 1
        self.entered = False

    # A turn

    def start_turn(self, seat):
        self.turn = seat
        self.row = []  # {"card": code, "value": what it acts as}; the last one is the reference
        self.active_lives = 0
        self.can_stand = False
        self.go_on_at_turn_start()

    def end_turn(self):
        self.start_turn((self.turn + 1) % self.num_players)

    def go_on_at_turn_start(self):
        if self.saved_lives[self.turn] > 0:
            self.ask(self.turn, "turn start")
        else:
            self.reveal_first_card()

    def answer_turn_start(self, action):
        if action == USE_LIFE:
            self.saved_lives[self.turn] -= 1
            self.active_lives += 1
            self.go_on_at_turn_start()
        else:
            self.reveal_first_card()

    def reveal_first_card(self):
        while self.can_reveal():
            card = self.deck.pop(0)
            if card == WILD:
                self.ask(self.turn, "announce")
                return
            if card == LIFE:
                self.ask(self.turn, "life found")
                return
            if card != STEAL:
                self.add_to_row(card, card)
                self.go_on()
                return
        self.end_round()

    def go_on(self):
        """After a reveal is resolved: what the turn goes on with."""
        if self.is_out_of_cards():
            self.end_round()
        elif not self.row:
            self.reveal_first_card()
        else:
            self.ask(self.turn, "call")

    def add_to_row(self, card, value):
        self.row.append({"card": card, "value": value})

    def keep_row(self):
        for revealed in self.row:
            self.win(self.turn, revealed["card"])
        self.row = []

    def win(self, seat, card):
        self.won[seat].append(card)
        self.entered = True

    # The call

    def answer_call(self, action):
        if action == STAND:
            self.keep_row()
            self.end_turn()
        elif self.can_reveal():
            self.resolve_call(action, self.deck.pop(0))
        else:
            self.end_round()

    def resolve_call(self, call, card):
        if card == WILD:
            self.resolve_wild(call)
        elif card == STEAL:
            self.resolve_steal(call)
        elif card == LIFE:
            self.ask(self.turn, "life found")
        else:
            self.resolve_number(call, card)

    def fulfils(self, call, number):
        """Whether the number is on the side of the reference that was called."""
        reference = self.row[-1]["value"]
        return number > reference if call == HIGHER else number < reference

    def resolve_number(self, call, number):
        if number == self.row[-1]["value"]:
            self.tie(number)
        elif self.fulfils(call, number):
            self.hit(number, number)
        elif self.active_lives > 0:
            self.active_lives -= 1
            self.hit(number, number)  # the fail is annulled
        else:
            self.fail(number)

    def hit(self, card, value):
        self.add_to_row(card, value)
        self.can_stand = True
        self.go_on()

    def tie(self, number):
        self.win(self.turn, self.row.pop()["card"])
        self.win(self.turn, number)
        self.can_stand = True
        self.go_on()

    def resolve_wild(self, call):
        reference = self.row[-1]["value"]
        if call == HIGHER and reference < 9:
            self.hit(WILD, reference + 1)
        elif call == LOWER and reference > 1:
            self.hit(WILD, reference - 1)
        else:
            self.last_call = "higher" if call == HIGHER else "lower"
            self.ask(self.turn, "announce")

    def answer_announce(self, action):
        value = ANNOUNCE.index(action) + 1
        self.last_call = "none"
        if self.row:
            self.hit(WILD, value)
        else:
            self.add_to_row(WILD, value)
            self.go_on()

    def resolve_steal(self, call):
        for seat in self.others_clockwise():
            number = self.visible_number(seat)
            if number > 0 and self.fulfils(call, number):
                self.win(self.turn, self.won[seat].pop())
        self.go_on()

    def answer_life_found(self, action):
        if action == USE_LIFE:
            self.active_lives += 1
        else:
            self.saved_lives[self.turn] += 1
        self.go_on()

    def fail(self, number):
        for revealed in self.row:
            self.failures.append(revealed["card"])
        self.failures.append(number)
        self.row = []
        self.failed_number = number
        self.to_be_asked = [seat for seat in self.others_clockwise() if self.visible_number(seat) == number]
        self.go_on_with_mine()

    # Mine!

    def go_on_with_mine(self):
        if self.to_be_asked:
            self.ask(self.to_be_asked.pop(0), "mine")
        else:
            self.failed_number = 0
            self.end_turn()

    def answer_mine(self, action):
        if action == CLAIM:
            self.win(self.current_player, self.failures.pop())
            self.to_be_asked = []
        self.go_on_with_mine()

    # What lies on the table

    def others_clockwise(self):
        return [(self.turn + step) % self.num_players for step in range(1, self.num_players)]

    def visible_number(self, seat):
        return self.number_in_pile(seat, 1)

    def number_in_pile(self, seat, depth):
        """The number on the depth-th card from the top of the won pile; 0 if there is none or it is a Wild."""
        pile = self.won[seat]
        if len(pile) < depth or pile[-depth] == WILD:
            return 0
        return pile[-depth]

    def next_card(self):
        """The code of the next card to be revealed; 0 if nobody has seen it or there is none."""
        if self.deck_is_turned and self.deck:
            return self.deck[0]
        if not self.deck and self.failures:
            return self.failures[0]
        return 0

    # The observation

    def observe(self, seat):
        seats = [(seat + step) % self.num_players for step in range(self.num_players)]
        values = [revealed["value"] for revealed in reversed(self.row)]  # from the reference downwards
        cards = [revealed["card"] for revealed in self.row]
        fields = {
            "phase": [int(self.phase == phase) for phase in PHASES],
            "active_seat": [int(self.turn == s) for s in seats],
            "reference": padded(values, 1),
            "row": [cards.count(code) for code in range(1, WILD + 1)],
            "row_below": padded(values[1:], 1),
            "last_call": [int(self.last_call == "higher"), int(self.last_call == "lower")],
            "can_stand": [int(self.can_stand)],
            "failed_number": [self.failed_number],
            "active_lives": [self.active_lives],
            "saved_lives": [self.saved_lives[s] for s in seats],
            "pile_size": [len(self.won[s]) for s in seats],
            "visible_number": [self.visible_number(s) for s in seats],
            "wins": [self.wins[s] for s in seats],
            "deck_size": [len(self.deck)],
            "failure_size": [len(self.failures)],
            "failure_top": padded(self.failures[-1:], 1),
        }
        if self.recall:
            fields.update(self.remember(seats, values))
        return fields

    def remember(self, seats, values):
        seen_deck = self.deck if self.deck_is_turned else []
        unseen_deck = [] if self.deck_is_turned else self.deck
        return {
            "row_values": padded(values, 12),
            "below_visible": [self.number_in_pile(s, 2) for s in seats],
            "unseen": [unseen_deck.count(code) for code in range(1, LIFE + 1)],
            "next_card": [int(self.next_card() == code) for code in range(LIFE + 1)],
            "deck_order": padded(seen_deck, self.num_cards),
            "failure_order": padded(self.failures, self.num_cards),
            "idle": [min(self.idle, 255), int(self.entered)],
        }


def padded(values, length):
    """The first values, filled up with zeros to the length."""
    return (list(values) + [0] * length)[:length]

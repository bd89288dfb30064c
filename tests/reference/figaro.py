"""Figaro in plain Python: a transcription of the rules document of the game, one sentence after the other.

It is an oracle for the array-based implementation, written independently of it. Every deal is dictated, nothing is
shuffled here, and whoever calls it is trusted.

Card kinds: colour c (0-4) of value v: 3c + v - 1 (0-14), Jester 1: 15, Jester 2: 16, Ring: 17.
Actions with n players: PLAY kind k in front of relative seat s: k * n + s, RING: 17 * n, TAKE: 17 * n + 1.
"""

NUM_ROUNDS = 3
NUM_COLOURS = 5
NUM_KINDS = 18
MAX_PIECES = 5  # of one round: six players need five

JESTER_1 = 15
JESTER_2 = 16
RING = 17

FULL_DECK_SIZE = 60
SHORT_DECK_SIZE = 45
ENOUGH_FOR_THE_KING = 6


def is_colour_card(kind):
    return kind < JESTER_1


def colour_of_card(kind):
    return kind // 3


def value_of_card(kind):
    if kind == RING:
        return 0
    if kind == JESTER_1:
        return 1
    if kind == JESTER_2:
        return 2
    return kind % 3 + 1


def total_value(cards):
    return sum(value_of_card(kind) for kind in cards)


def colour_of_cards(cards):
    """The colour of a seat with these cards in front of it; None with only Jesters and Rings (or nothing)."""
    for kind in cards:
        if is_colour_card(kind):
            return colour_of_card(kind)
    return None


def count_by_kind(cards):
    return [cards.count(kind) for kind in range(NUM_KINDS)]


def one_hot(index, size):
    return [1 if position == index else 0 for position in range(size)]


class Figaro:
    def __init__(
        self,
        *,
        num_players=4,
        road_lengths=tuple(range(1, 16)),
        short_deck=False,
        max_decisions=5000,
        reward="outcome",
        recall=True,
    ):
        self.num_players = num_players
        self.longest_road = max(road_lengths)
        self.deck_size = SHORT_DECK_SIZE if short_deck else FULL_DECK_SIZE
        self.max_decisions = max_decisions
        self.reward = reward
        self.recall = recall
        self.ring_action = RING * num_players
        self.take_action = RING * num_players + 1

    # Setup

    def reset(self, *, deck, roads, starting_player):
        """One deck and one group of road pieces per round; the starting player holds the King at first."""
        self.decks = deck
        self.pieces = [sorted(group, reverse=True) for group in roads]
        self.king = starting_player
        self.road = self.zero_per_seat()
        self.round = 0
        self.num_decisions = 0
        self.rewards = self.no_rewards()
        self.terminated = False
        self.truncated = False
        self.winners = []
        self.begin_round()

    def begin_round(self):
        self.hands = self.deal(self.decks[self.round])
        self.table = [[] for _ in self.seats()]
        self.piles = [[] for _ in self.seats()]
        self.begin_turn(self.king)

    def deal(self, deck):
        """All cards evenly: seat 0 the first block, and so on."""
        size = self.deck_size // self.num_players
        return [list(deck[seat * size : (seat + 1) * size]) for seat in self.seats()]

    # Seats

    def seats(self):
        return range(self.num_players)

    def left_of(self, seat):
        return (seat + 1) % self.num_players

    def clockwise_from(self, seat):
        """All seats, this one first."""
        return [(seat + steps) % self.num_players for steps in self.seats()]

    def zero_per_seat(self):
        return [0 for _ in self.seats()]

    def no_rewards(self):
        return [0.0 for _ in self.seats()]

    # What the seat to act may do

    def legal_actions(self):
        if self.terminated or self.truncated:
            return []
        actions = []
        hand = self.hands[self.current_player]
        for kind in range(RING):
            if kind in hand:
                actions += self.plays_of(kind)
        if RING in hand:
            actions.append(self.ring_action)
        if any(self.table):
            actions.append(self.take_action)
        return actions

    def plays_of(self, kind):
        actions = []
        for relative, seat in enumerate(self.clockwise_from(self.current_player)):
            if self.may_lie_in_front_of(seat, kind):
                actions.append(kind * self.num_players + relative)
        return actions

    def may_lie_in_front_of(self, seat, kind):
        if not is_colour_card(kind):
            return True  # a Jester goes in front of any seat, always
        colour = colour_of_card(kind)
        colours = [colour_of_cards(cards) for cards in self.table]
        if colours[seat] is None:
            return colour not in colours
        return colours[seat] == colour

    # A turn

    def begin_turn(self, seat):
        self.current_player = seat
        if not self.hands[seat]:
            self.end_round(seat)

    def step(self, action):
        self.rewards = self.no_rewards()
        self.num_decisions += 1
        if action == self.take_action:
            self.take(self.current_player)
        elif action == self.ring_action:
            self.play_ring()
        else:
            self.play(action // self.num_players, action % self.num_players)
        if self.num_decisions == self.max_decisions and not self.terminated:
            self.truncated = True
            self.current_player = -1

    def take(self, seat):
        """All cards in front of all seats go to the pile of this seat, which has the next turn."""
        for cards in self.table:
            self.piles[seat] += cards
        self.table = [[] for _ in self.seats()]
        self.begin_turn(seat)

    def play(self, kind, relative):
        player = self.current_player
        seat = (player + relative) % self.num_players
        self.hands[player].remove(kind)
        self.table[seat].append(kind)
        if total_value(self.table[seat]) >= ENOUGH_FOR_THE_KING:
            self.take(seat)
        else:
            self.begin_turn(self.left_of(player))

    def play_ring(self):
        """A Ring has value 0, so the cards passed on can't reach 6 in front of their new seat."""
        player = self.current_player
        self.hands[player].remove(RING)
        self.table[player].append(RING)
        passed = [[] for _ in self.seats()]
        for seat in self.seats():
            passed[self.left_of(seat)] = self.table[seat]
        self.table = passed
        self.begin_turn(self.left_of(player))

    # End of a round

    def end_round(self, seat):
        self.king = seat
        gained = self.roads_gained()
        for other in self.seats():
            self.road[other] += gained[other]
        if self.reward == "score":
            self.pay_score(gained)
        self.pieces[self.round] = []
        if self.round == NUM_ROUNDS - 1:
            self.end_game()
        else:
            self.round += 1
            self.begin_round()

    def roads_gained(self):
        """The longest piece for the most cards, and so on; nothing for the last and for a seat without cards."""
        gained = self.zero_per_seat()
        ranked = self.ranked_by_pile()
        for rank, length in enumerate(self.pieces[self.round]):
            if self.piles[ranked[rank]]:
                gained[ranked[rank]] = length
        return gained

    def ranked_by_pile(self):
        """Most cards first; among equals the first clockwise from the left of the King's holder."""
        order = self.clockwise_from(self.left_of(self.king))
        return sorted(order, key=lambda seat: len(self.piles[seat]), reverse=True)  # equals keep their order

    def pay_score(self, gained):
        mean = sum(gained) / self.num_players
        self.rewards = [(mean - gained[seat]) / self.longest_road for seat in self.seats()]

    # End of the game

    def end_game(self):
        winner = self.find_winner()
        self.winners = [winner]
        self.terminated = True
        self.current_player = -1
        if self.reward == "outcome":
            self.pay_outcome(winner)

    def find_winner(self):
        """The shortest road; among equals the King's holder, else the first clockwise from the King."""
        order = self.clockwise_from(self.king)
        return min(order, key=lambda seat: self.road[seat])  # the first of equals

    def pay_outcome(self, winner):
        self.rewards = [-1 / (self.num_players - 1) for _ in self.seats()]
        self.rewards[winner] = 1.0

    # Observation

    def observe(self, seat):
        order = self.clockwise_from(seat)
        fields = {
            "to_act": [1 if other == self.current_player else 0 for other in order],
            "hand": count_by_kind(self.hands[seat]),
            "hand_size": [len(self.hands[other]) for other in order],
            "table": [count for other in order for count in count_by_kind(self.table[other])],
            "total": [total_value(self.table[other]) for other in order],
            "colour": [bit for other in order for bit in one_hot(colour_of_cards(self.table[other]), NUM_COLOURS)],
            "pile_size": [len(self.piles[other]) for other in order],
            "king": [1 if other == self.king else 0 for other in order],
            "road": [self.road[other] for other in order],
            "round": one_hot(self.round, NUM_ROUNDS),
            "pieces": self.observed_pieces(),
        }
        if self.recall:
            fields["gone"] = self.observed_gone()
        return fields

    def observed_pieces(self):
        """The lengths of each round's pieces, longest first, padded with zeros; rounds already scored are zeros."""
        lengths = []
        for group in self.pieces:
            lengths += group + [0] * (MAX_PIECES - len(group))
        return lengths

    def observed_gone(self):
        """The cards taken so far this round, by kind."""
        return count_by_kind([kind for pile in self.piles for kind in pile])

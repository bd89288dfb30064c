"""Piñata in plain Python: a transcription of the rules document of the game.

An oracle for the fast implementation, written independently of it, with the rules' own words as names.
Every deal is dictated: nothing is shuffled here, and inputs are trusted.
"""

RED, BLUE, GREEN, PINK, YELLOW, WILD = range(6)
COLOURS = [RED, BLUE, GREEN, PINK, YELLOW]
MEDAL_AT = {RED: 7, BLUE: 6, GREEN: 5, PINK: 4, YELLOW: 3}
MEDALS_TO_WIN = 3
NUM_CANDIES = 45
NUM_CARDS = 54
HAND_SIZE = 8
NEEDS = [1, 2, 3, 4]  # mat k needs k candies, and k cards on each player's side
OTHER_SIDE = {"high": "low", "low": "high"}

DISCARD = 432
DRAW = 486

CARD_VALUES = (
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
    (1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 5, 6, 7),
    (1, 2, 3, 4, 5),
)
WILD_VALUES = (1, 2, 3, 4, 5, 6, 7, 8, 9)

RECALL_FIELDS = ["opponent_known", "known_of_me", "discards"]


def opponent_of(seat):
    return 1 - seat


def play_id(card, mat, whose):
    """`whose` side of the mat: 0 mine, 1 the opponent's."""
    return card * 8 + mat * 2 + whose


def cards_as_flags(cards):
    return [int(card in cards) for card in range(NUM_CARDS)]


class Pinata:
    num_players = 2

    def __init__(
        self,
        *,
        card_values=CARD_VALUES,
        wild_values=WILD_VALUES,
        open_sides=False,
        max_decisions=2000,
        reward="outcome",
        recall=True,
    ):
        self.open_sides = open_sides
        self.max_decisions = max_decisions
        self.reward = reward
        self.recall = recall
        self.colour_of = []  # by card id
        self.value_of = []
        for colour, values in enumerate([*card_values, wild_values]):
            for value in values:
                self.colour_of.append(colour)
                self.value_of.append(value)

    # Setup

    def reset(self, *, deck, candies, mats, reshuffles, starting_player):
        self.reshuffles = list(reshuffles)
        self.bag = list(candies)
        self.mats = [self._new_mat(needs, side) for needs, side in zip(NEEDS, mats, strict=True)]
        self.hands = [list(deck[:HAND_SIZE]), list(deck[HAND_SIZE : 2 * HAND_SIZE])]
        self.supply = list(deck[2 * HAND_SIZE :])
        self.discards = []
        self.known = [[], []]  # the cards in each seat's hand that its opponent knows
        self.candies = [dict.fromkeys(COLOURS, 0) for seat in range(2)]  # won
        self.medals = [[], []]
        self.discarded_now = 0
        self.decisions = 0
        self.rewards = [0.0, 0.0]
        self.terminated = False
        self.truncated = False
        self.winners = []
        self._begin_turn(starting_player)

    def _new_mat(self, needs, side):
        return {"needs": needs, "side": side, "in_play": True, "candies": self._draw_candies(needs), "cards": [[], []]}

    def _draw_candies(self, number):
        return [self.bag.pop(0) for _ in range(number)]

    # A turn

    def _begin_turn(self, seat):
        self.current_player = seat
        self.phase = "play"
        if self._legal_plays() == []:
            self._show_hand(seat)
            self.phase = "discard"

    def step(self, action):
        self.decisions += 1
        self.rewards = [0.0, 0.0]
        if action == DRAW:
            self._draw_for_discards()
        elif action >= DISCARD:
            self._discard(action - DISCARD)
        else:
            self._play(action // 8, self.mats[action % 8 // 2], action % 2)
        if self.decisions == self.max_decisions and not self.terminated:
            self.truncated = True
            self._end()

    def _play(self, card, mat, whose):
        seat = self.current_player
        self._take_from_hand(seat, card)
        mat["cards"][self._side(whose)].append(card)
        next_player = opponent_of(seat)
        if self._is_full(mat, 0) and self._is_full(mat, 1):
            next_player = self._score(mat)
        if not self.terminated:
            self._draw(seat)
            self._begin_turn(next_player)

    def _discard(self, card):
        self._take_from_hand(self.current_player, card)
        self.discards.append(card)
        self.discarded_now += 1

    def _draw_for_discards(self):
        seat = self.current_player
        for _ in range(self.discarded_now):
            self._draw(seat)
        self.discarded_now = 0
        self.phase = "play"
        if self._legal_plays() == []:
            self._show_hand(seat)
            self._begin_turn(opponent_of(seat))

    def _take_from_hand(self, seat, card):
        self.hands[seat].remove(card)
        self.known[seat] = [known for known in self.known[seat] if known != card]

    def _show_hand(self, seat):
        self.known[seat] = list(self.hands[seat])

    def _draw(self, seat):
        # Supply and discards are never both empty: hands (16) and mats (20) hold at most 36 of the 54 cards.
        if self.supply == []:
            self._make_new_supply()
        self.hands[seat].append(self.supply.pop(0))

    def _make_new_supply(self):
        """Every card that is not in a hand is in sight now, so each player knows the other's hand."""
        order = self.reshuffles.pop(0)
        self.supply = [card for card in order if card in self.discards]
        self.discards = []
        self._show_hand(0)
        self._show_hand(1)

    # What may be played

    def legal_actions(self):
        if self.current_player == -1:
            return []
        if self.phase == "discard":
            return [DISCARD + card for card in sorted(self.hands[self.current_player])] + [DRAW]
        return self._legal_plays()

    def _legal_plays(self):
        plays = []
        for card in sorted(self.hands[self.current_player]):
            for number, mat in enumerate(self.mats):
                for whose in (0, 1):
                    if self._is_legal(card, mat, whose):
                        plays.append(play_id(card, number, whose))
        return plays

    def _is_legal(self, card, mat, whose):
        return (
            mat["in_play"]
            and self._side_allows(mat, whose)
            and self._colour_allows(card, mat, whose)
            and not self._would_draw(card, mat, whose)
        )

    def _side_allows(self, mat, whose):
        if self._is_full(mat, self._side(whose)):
            return False
        if whose == 0 or self.open_sides:
            return True
        return self._is_full(mat, self.current_player)

    def _colour_allows(self, card, mat, whose):
        colour = self.colour_of[card]
        if colour == WILD:
            return True
        played = [self.colour_of[other] for other in mat["cards"][self._side(whose)]]
        return played.count(colour) < mat["candies"].count(colour)

    def _would_draw(self, card, mat, whose):
        """Is it the card that makes both sides full with equal sums?"""
        here, there = self._side(whose), opponent_of(self._side(whose))
        completes = len(mat["cards"][here]) + 1 == mat["needs"] and self._is_full(mat, there)
        return completes and self._sum(mat, here) + self.value_of[card] == self._sum(mat, there)

    def _side(self, whose):
        """The seat on whose side of a mat the player to act plays."""
        return self.current_player if whose == 0 else opponent_of(self.current_player)

    def _is_full(self, mat, seat):
        return len(mat["cards"][seat]) == mat["needs"]

    def _sum(self, mat, seat):
        return sum(self.value_of[card] for card in mat["cards"][seat])

    # Scoring a mat

    def _score(self, mat):
        """The player who lost the scoring; that player has the next turn."""
        winner = self._winner_of(mat)
        loser = opponent_of(winner)
        if self.reward == "score":
            self.rewards[winner] = mat["needs"] / NUM_CANDIES
            self.rewards[loser] = -mat["needs"] / NUM_CANDIES
        self._win_candies(winner, mat)
        self._take_medals(winner)
        if len(self.medals[winner]) >= MEDALS_TO_WIN:
            self._win_game(winner)
        else:
            self._turn_and_fill(mat)
        return loser

    def _winner_of(self, mat):
        higher = 0 if self._sum(mat, 0) > self._sum(mat, 1) else 1
        return higher if mat["side"] == "high" else opponent_of(higher)

    def _win_candies(self, winner, mat):
        for colour in mat["candies"]:
            self.candies[winner][colour] += 1
        mat["candies"] = []

    def _take_medals(self, winner):
        self.medals[winner] = [colour for colour in COLOURS if self.candies[winner][colour] >= MEDAL_AT[colour]]

    def _turn_and_fill(self, mat):
        self.discards += mat["cards"][0] + mat["cards"][1]
        mat["cards"] = [[], []]
        mat["side"] = OTHER_SIDE[mat["side"]]
        if len(self.bag) >= mat["needs"]:
            mat["candies"] = self._draw_candies(mat["needs"])
        else:
            mat["in_play"] = False

    # The end

    def _win_game(self, winner):
        self.terminated = True
        self.winners = [winner]
        if self.reward == "outcome":
            self.rewards[winner] = 1.0
            self.rewards[opponent_of(winner)] = -1.0
        self._end()

    def _end(self):
        self.current_player = -1
        self.phase = "over"
        self.discarded_now = 0

    # Observation

    def observe(self, seat):
        seats = [seat, opponent_of(seat)]
        fields = {
            "phase": [int(self.phase == "play"), int(self.phase == "discard")],
            "to_act": [int(self.current_player == s) for s in seats],
            "hand": cards_as_flags(self.hands[seat]),
            "opponent_known": cards_as_flags(self.known[opponent_of(seat)]),
            "known_of_me": cards_as_flags(self.known[seat]),
            "discards": cards_as_flags(self.discards),
            "mat_cards": [flag for mat in self.mats for s in seats for flag in cards_as_flags(mat["cards"][s])],
            "mat_candies": [mat["candies"].count(colour) for mat in self.mats for colour in COLOURS],
            "mat_side": [flag for mat in self.mats for flag in self._side_flags(mat)],
            "mat_sum": [self._sum(mat, s) for mat in self.mats for s in seats],
            "mat_room": [self._room(mat, s) for mat in self.mats for s in seats],
            "candies": [self.candies[s][colour] for s in seats for colour in COLOURS],
            "medals": [int(colour in self.medals[s]) for s in seats for colour in COLOURS],
            "bag": [self.bag.count(colour) for colour in COLOURS],
            "supply": [len(self.supply)],
            "opponent_hand": [len(self.hands[opponent_of(seat)])],
            "discarded_now": [self.discarded_now],
        }
        if not self.recall:
            for name in RECALL_FIELDS:
                del fields[name]
        return fields

    def _side_flags(self, mat):
        if not mat["in_play"]:
            return [0, 0]
        return [int(mat["side"] == "high"), int(mat["side"] == "low")]

    def _room(self, mat, seat):
        if not mat["in_play"]:
            return 0
        return mat["needs"] - len(mat["cards"][seat])

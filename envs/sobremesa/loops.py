"""The batched loops: written once, for every game. All arrays are filled in place, rows `[begin, end)` of them.

Letters: N tables, A actions (mask rows are padded to whole words), O observation entries, R dictated deals.
"""

from __future__ import annotations

import numpy as np

from .chance import below, num_flags
from .game import FREE
from .kernel import apply, deal, kernel, legal_actions, observe, redeal_hidden

WORD = 8  # bytes; mask rows are padded to whole words, which are counted at once
CHUNK = 32  # tables whose records stay in the cache between the two passes


@kernel
def first_illegal(mask, num_actions, actions, where):
    """The first table of those in `where` whose action isn't legal, or -1."""
    for i in range(len(actions)):
        if where[i]:
            action = actions[i]
            if action < 0 or action >= num_actions or mask[i, action] == 0:
                return i
    return -1


@kernel
def step_tables(state, actions, where, dictated, autoreset, ended_state, results, mask, observation, begin, end):
    """One decision at each table in `where`; the actions are known to be legal."""
    for start in range(begin, end, CHUNK):
        stop = min(start + CHUNK, end)
        for i in range(start, stop):
            if where[i]:
                table = state[i]
                advance(table, actions[i], dictated)
                report_step(table, results[i])
                if table["current_player"] < 0 and autoreset:
                    ended_state[i] = table
                    begin_next_game(table, dictated)
                report_turn(table, results[i], mask[i])
        for i in range(start, stop):
            if where[i]:
                observe_turn(state[i], observation[i])


@kernel
def begin_tables(state, where, dictated, results, mask, observation, begin, end):
    """A new game at each table in `where`."""
    for i in range(begin, end):
        if where[i]:
            begin_game(state[i], dictated)
            report_step(state[i], results[i])
            report_turn(state[i], results[i], mask[i])
            observe_turn(state[i], observation[i])


@kernel
def report_tables(state, where, results, mask, observation, begin, end):
    """Writes the rows of the tables in `where` anew, for records that something else has changed."""
    for i in range(begin, end):
        if where[i]:
            report_step(state[i], results[i])
            report_turn(state[i], results[i], mask[i])
            observe_turn(state[i], observation[i])


@kernel
def play_tables(
    state, num_steps, dictated, autoreset, ended_state, results, mask, observation, returns, num_games, begin, end
):
    """`num_steps` random decisions at each table, drawn from its `choice`. Adds up rewards and the games that ended."""
    for i in range(begin, end):
        table = state[i]
        for _ in range(num_steps):
            if table["current_player"] < 0:
                break
            random_step(table, mask[i], dictated)
            for seat in range(len(table["rewards"])):
                returns[i, seat] += table["rewards"][seat]
            report_step(table, results[i])
            if table["current_player"] < 0:
                num_games[i] += 1
                if autoreset:
                    ended_state[i] = table
                    begin_next_game(table, dictated)
            write_mask(table, mask[i])
        report_turn(table, results[i], mask[i])
        observe_turn(table, observation[i])


@kernel
def play_until(state, seats, where, dictated, results, mask, observation, returns, begin, end):
    """Random decisions at each table in `where` until it is the turn of its seat in `seats`, or the game is over.

    Adds the rewards of those decisions to `returns`, float64 `[N, P]`.
    """
    for i in range(begin, end):
        if where[i]:
            table = state[i]
            while table["current_player"] >= 0 and table["current_player"] != seats[i]:
                random_step(table, mask[i], dictated)
                for seat in range(len(table["rewards"])):
                    returns[i, seat] += table["rewards"][seat]
                write_mask(table, mask[i])
            report_step(table, results[i])
            report_turn(table, results[i], mask[i])
            observe_turn(table, observation[i])


@kernel
def draw_seats(state, where, num_players, seats):
    """A seat for the learner at each table in `where`, drawn from its `choice`."""
    for i in range(len(state)):
        if where[i]:
            seats[i], state[i]["choice"] = below(state[i]["choice"], num_players)


@kernel
def observe_tables(state, seats, observation, begin, end):
    """What seat `seats[i]` sees at table i."""
    for i in range(begin, end):
        observe(state[i], seats[i], observation[i])


@kernel
def redeal_tables(state, seats, where, dictated, results, mask, observation, begin, end):
    """Another world that seat `seats[i]` can't tell from this one, at each table in `where`; no deal stays dictated.

    Drawn from `chance`, which must be new: it is behind the world's future too.
    """
    for i in range(begin, end):
        if where[i]:
            forget_dictated(state[i], dictated)
            redeal_hidden(state[i], seats[i])
            report_step(state[i], results[i])
            report_turn(state[i], results[i], mask[i])
            observe_turn(state[i], observation[i])


# One table


@kernel
def advance(table, action, dictated):
    """One decision: the rules, then what holds in every game."""
    clear_rewards(table)
    table["decisions"] += 1
    apply(table, action)
    if table["current_player"] >= 0 and table["decisions"] >= table["max_decisions"]:
        table["truncated"] = 1
        table["current_player"] = -1
    if table["dictated_used"]:
        load_dictated(table, dictated)


@kernel
def begin_game(table, dictated):
    clear_rewards(table)
    table["decisions"] = 0
    table["terminated"] = 0
    table["truncated"] = 0
    table["winners"] = 0
    deal(table)
    if table["dictated_used"]:
        load_dictated(table, dictated)


@kernel
def begin_next_game(table, dictated):
    """The game after one that has ended; what was dictated for that one is not for this one."""
    table["next_dictated"] = table["end_dictated"]
    load_dictated(table, dictated)
    begin_game(table, dictated)


@kernel
def clear_rewards(table):
    for seat in range(len(table["rewards"])):
        table["rewards"][seat] = 0


@kernel
def load_dictated(table, dictated):
    """What is dictated of the deal after the one just dealt."""
    table["dictated_used"] = 0
    row = int(table["next_dictated"])
    if row < int(table["end_dictated"]):
        for i in range(len(table["dictated"])):
            table["dictated"][i] = dictated[row, i]
        table["next_dictated"] = row + 1
    else:
        for i in range(len(table["dictated"])):
            table["dictated"][i] = FREE


@kernel
def forget_dictated(table, dictated):
    """Leaves all later deals to the game's own rules."""
    table["next_dictated"] = 0
    table["end_dictated"] = 0
    load_dictated(table, dictated)


@kernel
def random_step(table, mask, dictated):
    """A decision drawn uniformly from the legal ones; `mask` holds those of the seat to act."""
    action, table["choice"] = random_action(mask, table["choice"])
    advance(table, action, dictated)


@kernel
def random_action(mask, state):
    """A uniformly drawn action of `mask`, which has one, and the next random state."""
    words = mask.view(np.uint64)
    num_legal = 0
    for i in range(len(words)):
        num_legal += num_flags(words[i])
    rank, state = below(state, num_legal)
    at = 0
    while rank >= num_flags(words[at]):
        rank -= num_flags(words[at])
        at += 1
    action = at * WORD
    while rank > 0 or mask[action] == 0:
        rank -= int(mask[action])
        action += 1
    return action, state


@kernel
def write_mask(table, mask):
    for action in range(len(mask)):
        mask[action] = 0
    if table["current_player"] >= 0:
        legal_actions(table, mask)


@kernel
def report_step(table, result):
    """What the step just made has brought."""
    for seat in range(len(table["rewards"])):
        result["rewards"][seat] = table["rewards"][seat]
    result["terminated"] = table["terminated"]
    result["truncated"] = table["truncated"]


@kernel
def report_turn(table, result, mask):
    """Who is to act, and how."""
    result["current_player"] = table["current_player"]
    write_mask(table, mask)


@kernel
def observe_turn(table, out):
    """What the seat to act sees; zeros when the game is over."""
    if table["current_player"] >= 0:
        observe(table, int(table["current_player"]), out)
    else:
        for i in range(len(out)):
            out[i] = 0


def result_dtype(max_players: int) -> np.dtype:
    """What a step reports of a table, in one small record."""
    return np.dtype(
        [
            ("rewards", np.float32, (max_players,)),
            ("current_player", np.int8),
            ("terminated", np.bool_),
            ("truncated", np.bool_),
        ]
    )

"""The network: sb3-contrib's masked actor and critic, with less arithmetic for each decision."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

MASKED = -1e8  # the logit of an illegal action: a probability of 0, and no infinities in the gradients


class LeanPolicy(MaskableActorCriticPolicy):
    """sb3-contrib's policy for discrete actions, weight for weight, without its distribution object.

    That one normalises the logits twice and the probabilities once more, which costs more than the network when there
    are hundreds of actions. Here it is one log-softmax, in collecting and in learning.
    """

    def forward(self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None) -> Any:
        log_probs = masked_log_probs(action_logits(self, obs), action_masks)
        if deterministic:
            actions = log_probs.argmax(dim=1)
        else:
            actions = torch.multinomial(log_probs.exp(), 1).squeeze(1)
        return actions, self.predict_values(obs), chosen(log_probs, actions)

    def evaluate_actions(self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None) -> Any:
        log_probs = masked_log_probs(action_logits(self, obs), action_masks)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1)
        return self.predict_values(obs), chosen(log_probs, actions), entropy


def action_logits(policy: MaskableActorCriticPolicy, observations: torch.Tensor) -> torch.Tensor:
    """The policy's logits `[K, A]`, without its value branch."""
    features: Any = super(MaskableActorCriticPolicy, policy).extract_features(
        observations, policy.pi_features_extractor
    )
    return policy.action_net(policy.mlp_extractor.forward_actor(features))


def masked_log_probs(logits: torch.Tensor, masks: Any) -> torch.Tensor:
    """Log-probabilities `[K, A]` of the actions that `masks` (bool or 0 and 1, or None: all) allows."""
    if masks is not None:
        logits = logits.masked_fill(~torch.as_tensor(masks, dtype=torch.bool).reshape(logits.shape), MASKED)
    return torch.log_softmax(logits, dim=1)


def chosen(log_probs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    return log_probs.gather(1, actions.reshape(-1, 1)).squeeze(1)


@contextlib.contextmanager
def torch_threads(number: int) -> Iterator[None]:
    """Sets torch's number of threads. For the small batches of play one is best: more mostly wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def copy_of(policy: MaskableActorCriticPolicy) -> MaskableActorCriticPolicy:
    """A policy with the same weights, for playing; a deep copy would take the optimizer and its gradients along."""
    twin = type(policy)(**policy._get_constructor_parameters())
    twin.load_state_dict(policy.state_dict())
    return twin.eval().requires_grad_(False)

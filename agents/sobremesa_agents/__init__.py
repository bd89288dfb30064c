"""Agents for the environments of `sobremesa`."""

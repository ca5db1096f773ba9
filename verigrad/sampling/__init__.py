"""A request in, tokens and exact log-probs out: the Sampler protocol, the local engine, the scripted one."""

from verigrad.sampling.local import LocalSampler
from verigrad.sampling.sampler import Sampler
from verigrad.sampling.scripted import Scripted

__all__ = ["LocalSampler", "Sampler", "Scripted"]

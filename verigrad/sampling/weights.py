"""The module that samples: a copy of the structure with weights of its own precision, packed where the CPU can.

The master stays untouched. On a CPU every plain linear layer becomes a `Packed` one, whose weight oneDNN has laid out
for its products beforehand: in bfloat16 that is 1.4 to 1.6 times the decode rate of plain products, and in float32
every row gets the same bits whatever the number of rows (from 7 up), which plain products do not. `sync` takes over
new weights after an update. Adapters stay beside their layer, never merged: added into weights of 8 bits of mantissa
a small one would be rounded away, and only they are taken over after an update. Left out: attention and caches
(attention, engine).
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn

from verigrad.models import Adapter, LanguageModel, adapter_of
from verigrad.sampling.attention import NAME

ROWS = 64
"""Rows of a typical product, a hint to oneDNN's layout; any number of rows may come."""

SAMPLED = 251
"""One weight in so many is looked at to see whether an optimizer has been there."""


class Packed(nn.Module):
    """A linear layer whose weight is kept only as oneDNN's products want it."""

    packed: Tensor
    bias: Tensor | None

    def __init__(self, weight_OI: Tensor, bias_O: Tensor | None, dtype: torch.dtype) -> None:
        super().__init__()
        self.out_features, self.in_features = weight_OI.shape
        self.take(weight_OI, bias_O, dtype)

    def take(self, weight_OI: Tensor, bias_O: Tensor | None, dtype: torch.dtype) -> None:
        """Pack the linear layer's present weight."""
        weight = weight_OI.detach().to(dtype).contiguous()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
        self.bias = None if bias_O is None else bias_O.detach().to(dtype)

    def forward(self, x: Tensor) -> Tensor:
        """What nn.Linear gives."""
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")
        return y


class Unmerged(nn.Module):
    """A packed linear layer with its adapter beside it: W x + (scale B) (A x)."""

    def __init__(self, adapter: Adapter, dtype: torch.dtype) -> None:
        super().__init__()
        linear: Any = adapter.base
        self.out_features, self.in_features = linear.weight.shape
        self.base = Packed(linear.weight, linear.bias, dtype)
        self.take(adapter, dtype)

    def take(self, adapter: Adapter, dtype: torch.dtype) -> None:
        """Pack the adapter's present numbers; the layer's own stay."""
        self.down = Packed(adapter.down_RI, None, dtype)
        self.up = Packed(adapter.up_OR.detach() * adapter.scale, None, dtype)

    def forward(self, x: Tensor) -> Tensor:
        """What the adapted layer gives."""
        y: Tensor = self.base(x) + self.up(self.down(x))
        return y


class Weights:
    """The sampling copy of a model. `module` runs it; call `sync` before sampling."""

    def __init__(self, lm: LanguageModel, dtype: torch.dtype, *, pack: bool, attention: str | None = NAME) -> None:
        """`dtype`: arithmetic of the copy. `pack`: lay linear weights out for the CPU; else in float32 the copy shares
        the master's own weights and costs nothing. `attention`: whose the copy uses; None: the master's.
        """
        self.master = lm.module
        self.dtype = dtype
        self._parameters = [id(p) for p in lm.module.parameters()]
        trained = [p for p in lm.module.parameters() if p.requires_grad]
        adapted = {id(m): (m, a) for m in lm.module.modules() if (a := adapter_of(m))}
        self._watched = trained if adapted and trained else list(lm.module.parameters())
        """What an update may change: beside adapters all is frozen."""
        inside = {id(m) for layer, _ in adapted.values() for m in layer.modules()}
        with torch.inference_mode(False), torch.no_grad():
            memo: dict[int, Any] = {}
            self._packed: list[tuple[nn.Linear, Packed]] = []
            self._unmerged: list[tuple[Adapter, Unmerged]] = []
            done: set[int] = set()
            for module in lm.module.modules() if pack else ():
                if type(module) is nn.Linear and id(module) not in inside:
                    self._packed.append((module, Packed(module.weight, module.bias, dtype)))
                    memo[id(module)] = self._packed[-1][1]
                elif id(module) in adapted and type(adapted[id(module)][1].base) is nn.Linear:
                    adapter = adapted[id(module)][1]
                    self._unmerged.append((adapter, Unmerged(adapter, dtype)))
                    memo[id(module)] = self._unmerged[-1][1]
                    done |= {id(m) for m in module.modules()}
            self._copied: list[tuple[nn.Parameter, nn.Parameter]] = []
            for module in lm.module.modules():
                if id(module) not in memo and id(module) not in done:
                    memo |= {id(p): self._own(p) for p in module.parameters(recurse=False) if id(p) not in memo}
            self.module = copy.deepcopy(lm.module, memo).eval()
        if attention is not None:
            self.module.config._attn_implementation = attention
        self._stamp: object = self._now()

    def of(self, master: Any) -> bool:
        """Whether this still is a copy of that module's own parameters: a load may put others in their place."""
        return [id(p) for p in master.parameters()] == self._parameters

    def forget(self) -> None:
        """Take the weights over at the next `sync`, whatever they look like."""
        self._stamp = None

    def _own(self, p: nn.Parameter) -> nn.Parameter:
        """What the copy has in this parameter's place."""
        if self.dtype is torch.float32:
            return p
        self._copied.append((p, nn.Parameter(p.detach().to(self.dtype), requires_grad=False)))
        return self._copied[-1][1]

    def sync(self) -> bool:
        """Take over the master's weights if they changed since the last call; whether they had.

        Of a model with adapters these alone: what is frozen is neither looked at nor packed again.
        """
        now = self._now()
        if now == self._stamp:
            return False
        watched = {id(p) for p in self._watched}
        with torch.inference_mode(False), torch.no_grad():
            for linear, packed in self._packed:
                if id(linear.weight) in watched:
                    packed.take(linear.weight, linear.bias, self.dtype)
            for adapter, unmerged in self._unmerged:
                unmerged.take(adapter, self.dtype)
            if moved := [(to, p.detach()) for p, to in self._copied if id(p) in watched]:
                torch._foreach_copy_([to for to, _ in moved], [p for _, p in moved])
        self._stamp = now
        return True

    def _now(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Changes with the weights: torch counts most writes; a fused optimizer's are seen in the bits of every
        `SAMPLED`-th number, which such a step all changes.
        """
        weights = [p.detach() for p in self._watched]
        bits = [w.reshape(-1)[::SAMPLED].float().contiguous().view(torch.int32).sum() for w in weights]
        return [(w.data_ptr(), p._version) for w, p in zip(weights, self._watched, strict=True)], [
            int(b) for b in torch.stack(bits).tolist()
        ]


def packs(device: torch.device) -> bool:
    """Whether this machine's torch packs linear weights (oneDNN, by its private names)."""
    return (
        device.type == "cpu"
        and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )

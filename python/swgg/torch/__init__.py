"""Losses for PyTorch with gradients in both clouds, and couplings of minibatches for flow matching.

Needs PyTorch (2.5 or newer), which nothing else of swgg does. Plans are computed in main memory: tensors on another
device are copied there, and gradients back, once per call. Half precision is computed in single precision. Gradients
hold the plan fixed, which is exact wherever a small move of the points does not change it. They cannot be
differentiated again. ``torch.compile`` sees one operator, ``torch.ops.swgg.loss``; ``torch.func`` knows it as well.

>>> import torch
>>> from swgg.torch import SolveLoss
>>> x = torch.tensor([[0.0, 0.0], [1.0, 0.0]], requires_grad=True)
>>> loss = SolveLoss()(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
>>> loss.backward()
>>> loss.item(), x.grad
(1.0, tensor([[ 0., -1.],
        [ 0., -1.]]))
"""

from __future__ import annotations

from ..exceptions import MissingPackageError

try:
    import torch
except ImportError as error:
    raise MissingPackageError("swgg.torch needs PyTorch (pip install torch); swgg itself works without") from error

if not hasattr(torch.library, "register_vmap"):
    raise MissingPackageError(f"swgg.torch needs PyTorch 2.5 or newer, found {torch.__version__}: pip install -U torch")

from .coupling import couple
from .losses import MinSWGGLoss, SlicedWassersteinLoss, SolveLoss
from .prefetch import Prefetch
from .sampler import OTPlanSampler
from .samples import SamplesLoss
from .slicers import SlicerResult, load_slicer, min_swgg, save_slicer
from .sparse import SparseSinkhorn, sparse_sinkhorn, sparse_support

__all__ = [
    "MinSWGGLoss",
    "OTPlanSampler",
    "Prefetch",
    "SamplesLoss",
    "SlicedWassersteinLoss",
    "SlicerResult",
    "SolveLoss",
    "SparseSinkhorn",
    "couple",
    "load_slicer",
    "min_swgg",
    "save_slicer",
    "sparse_sinkhorn",
    "sparse_support",
]

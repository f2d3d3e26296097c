"""Telling that memory ran out from other failures, and giving back what can be given back."""

from __future__ import annotations

import gc

__all__ = ["free_memory", "is_out_of_memory"]

_SAYS = ("not enough memory", "can't allocate memory", "out of memory", "failed to allocate", "alloc_cpu")
"""What torch's RuntimeError says where an allocation failed on a processor or on Apple's GPU."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that a smaller batch may work.

    Examples
    --------
    >>> is_out_of_memory(RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."))
    True
    >>> is_out_of_memory(RuntimeError("shapes don't match"))
    False
    """
    if isinstance(error, MemoryError):
        return True
    if type(error).__name__ == "OutOfMemoryError" and isinstance(error, RuntimeError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _SAYS)


def free_memory() -> None:
    """Drop what is unreachable and hand cached device memory back."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()

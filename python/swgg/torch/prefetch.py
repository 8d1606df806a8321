"""Batches made ahead, in a thread of their own."""

from __future__ import annotations

import queue
import threading
from typing import Any, Iterator, Optional, Tuple

from torch import Tensor

#: Samples of a batch, coupled; labels are none where there were none.
Batch = Tuple[Tensor, Tensor, Optional[Tensor], Optional[Tensor]]


class Prefetch:
    """Batches made in a thread of their own; see :meth:`OTPlanSampler.stream`.

    What the thread raises comes out of the iteration. The thread ends with the source, or when this is closed.
    """

    def __init__(self, batches: Iterator[Batch], waiting: int) -> None:
        self._ready: "queue.Queue[Tuple[Optional[Batch], Optional[BaseException]]]" = queue.Queue(waiting)
        self._is_closed = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._work, args=(batches,), name="swgg-prefetch", daemon=True)
        self._thread.start()

    def _work(self, batches: Iterator[Batch]) -> None:
        try:
            for batch in batches:
                if not self._put((batch, None)):
                    return
            self._put((None, None))
        except BaseException as error:  # Whatever it is belongs to whoever reads.
            self._put((None, error))

    def _put(self, item: Tuple[Optional[Batch], Optional[BaseException]]) -> bool:
        while not self._is_closed.is_set():
            try:
                self._ready.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def __iter__(self) -> "Prefetch":
        return self

    def __next__(self) -> Batch:
        if self._is_over or self._is_closed.is_set():
            raise StopIteration
        batch, error = self._ready.get()
        if batch is None:
            self._is_over = True
            self.close()
            if error is not None:
                raise error
            raise StopIteration
        return batch

    def close(self) -> None:
        """Ends the thread after the coupling it is at, for which a second is waited at most."""
        self._is_closed.set()
        self._thread.join(timeout=1.0)

    def __enter__(self) -> "Prefetch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

"""llama.cpp's own OpenAI-compatible server on loopback, from the wheel, for tests of the API judge."""

import os
from contextlib import contextmanager

KEY = "sk-test-of-the-loopback-server"
"""The key that this server asks for; not a secret."""


@contextmanager
def llama_server(path, *, n_ctx=512, slots=1):
    """The address of a running server (``…/v1``) whose every slot has ``n_ctx`` tokens."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = n_ctx * slots
    params.n_parallel = slots
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.n_gpu_layers = 0
    params.cache_ram_mib = 0
    params.ctx_shift = params.fit_params = params.warmup = params.ui = False
    params.verbosity = -1
    params.api_keys = [KEY]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server

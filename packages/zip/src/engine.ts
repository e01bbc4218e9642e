/** What node:zlib has under its streams, and uses itself for its synchronous functions. */
export interface Engine {
  /** `out` is filled until it is full or the input ends. */
  writeSync(
    flush: number,
    input: Uint8Array,
    inputOffset: number,
    inputLength: number,
    out: Uint8Array,
    outOffset: number,
    outLength: number,
  ): void;
  reset(): void;
}

/** The engine of a stream, with bytes that the last call left of `out` and of its input; null where it is another. */
export function engineOf(stream: object): { engine: Engine; left: Uint32Array } | null {
  const { _handle: engine, _writeState: left } = stream as {
    _handle?: Engine | null;
    _writeState?: Uint32Array;
  };
  const isKnown = typeof engine?.writeSync === 'function' && typeof engine.reset === 'function';
  return isKnown && left !== undefined ? { engine, left } : null;
}

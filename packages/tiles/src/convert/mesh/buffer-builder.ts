/** The one buffer of a GLB. */

/** What a view is for (glTF 2.0, section 5.11). */
export const ViewTarget = { vertices: 34962, indices: 34963 } as const;

/** A view whose bytes are compressed (EXT_meshopt_compression). */
export interface CompressedView {
  count: number;
  byteStride: number;
  mode: 'ATTRIBUTES' | 'TRIANGLES';
  filter?: 'OCTAHEDRAL' | 'EXPONENTIAL';
  target: number;
}

/** Takes views. */
export interface CompressedViews {
  compressedView(bytes: Uint8Array, view: CompressedView): number;
}

/** Views begin at multiples of 8 bytes, which tables ask for beyond glTF's own 4. */
export class BufferBuilder {
  readonly views: Array<Record<string, unknown>> = [];
  length = 0;
  /** Bytes that readers without EXT_meshopt_compression would find in a second buffer; the file does not have them. */
  fallbackLength = 0;
  readonly #parts: Array<{ offset: number; bytes: Uint8Array }> = [];

  /** Number of a new view over the bytes of the array; `more` goes into its JSON. */
  view(array: ArrayBufferView, more: Record<string, unknown> = {}): number {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    this.#parts.push({ offset: this.length, bytes });
    this.views.push({ buffer: 0, byteOffset: this.length, byteLength: bytes.length, ...more });
    this.length = padded(this.length + bytes.length);
    return this.views.length - 1;
  }

  /** Number of a new view of EXT_meshopt_compression: `decoded` bytes for readers, `bytes` in the file. */
  compressedView(bytes: Uint8Array, view: CompressedView): number {
    const { count, byteStride, mode, filter, target } = view;
    this.#parts.push({ offset: this.length, bytes });
    this.views.push({
      buffer: 1,
      byteOffset: this.fallbackLength,
      byteLength: count * byteStride,
      // Indices lie close together.
      ...(target === ViewTarget.vertices ? { byteStride } : {}),
      target,
      extensions: {
        EXT_meshopt_compression: {
          buffer: 0,
          byteOffset: this.length,
          byteLength: bytes.length,
          byteStride,
          count,
          mode,
          ...(filter === undefined ? {} : { filter }),
        },
      },
    });
    this.fallbackLength = padded(this.fallbackLength + count * byteStride);
    this.length = padded(this.length + bytes.length);
    return this.views.length - 1;
  }

  copyTo(target: Uint8Array, at: number): void {
    for (const { offset, bytes } of this.#parts) target.set(bytes, at + offset);
  }
}

/** The next multiple of 8. */
export function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** A Batched 3D Model (3D Tiles 1.0, section 10): batch ids 0 to `batchLength` - 1, JSON batch table, GLB. */
export function writeB3dm(
  glb: Uint8Array,
  batchLength: number,
  batchTable: Record<string, unknown[]>,
  rtcCenter: readonly number[] | null,
): Uint8Array {
  const encoder = new TextEncoder();
  const feature = encoder.encode(
    JSON.stringify({ BATCH_LENGTH: batchLength, ...(rtcCenter === null ? {} : { RTC_CENTER: rtcCenter }) }),
  );
  const batch = encoder.encode(JSON.stringify(batchTable));
  const featureLength = padTo(28 + feature.length, 8) - 28;
  const batchTableLength = padTo(batch.length, 8);
  const start = 28 + featureLength + batchTableLength;
  const bytes = new Uint8Array(padTo(start + glb.length, 8));
  const view = new DataView(bytes.buffer);
  bytes.set(encoder.encode('b3dm'));
  for (const [i, value] of [1, bytes.length, featureLength, 0, batchTableLength, 0].entries()) {
    view.setUint32(4 + i * 4, value, true);
  }
  bytes.fill(0x20, 28, start);
  bytes.set(feature, 28);
  bytes.set(batch, 28 + featureLength);
  bytes.set(glb, start);
  return bytes;
}

function padTo(length: number, multiple: number): number {
  return Math.ceil(length / multiple) * multiple;
}

/** A building file of any size for measurements: dense, realistic, never in memory as a whole. */
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { type Building, highestOf } from './building.ts';
import { buildingGml } from './building-gml.ts';
import type { GmlEnvelope } from './gml.ts';
import { GML_TAIL, gmlHead, gmlMember } from './gml.ts';
import { latOf, lngOf } from './place.ts';
import { Random } from './random.ts';
import { blocksOf, buildingsOn, DISTRICTS } from './town.ts';

export interface BenchmarkGmlOptions {
  /** Size at which the file ends, after the building that reaches it. */
  bytes: number;
  seed?: number;
}

const WRITE_BYTES = 1 << 20;
/** One block in so many has LOD2 beside LOD0 and LOD1. */
const LOD2_BLOCKS = 16;
/** Characters of an envelope's corner: it is known only at the end and then written over the blanks. */
const CORNER_WIDTH = 64;

/**
 * Writes a bldg file with i-UR 3.1 attributes in the manner of the sample city, about 9 KB a building. All polygons
 * and rings have ids, as some producers write them, which makes it deflate about as well as real building files
 * (to 5 to 7 %). The same size and seed give the same bytes. Buildings lie in many meshes.
 */
export async function writeBenchmarkGml(
  path: string,
  options: BenchmarkGmlOptions,
): Promise<{ bytes: number; buildings: number }> {
  const { bytes: target, seed = 1 } = options;
  const blank = ' '.repeat(CORNER_WIDTH);
  const head = gmlHead('3.1', '../../', { lower: [0, 0, 0], upper: [0, 0, 0] }).replaceAll(
    '>0 0 0<',
    `>${blank}<`,
  );
  const file = await open(path, 'w');
  try {
    const writer = new ChunkWriter(file);
    await writer.write(head);
    const extent = new RunningEnvelope();
    const ids = new Random(`${seed}/polygons`);
    let buildings = 0;
    let blocks = 0;
    for (const block of blocksOf({ ...DISTRICTS[0]!, columns: [40, 40] }, seed, Number.POSITIVE_INFINITY)) {
      const hasLod2 = blocks++ % LOD2_BLOCKS === 0;
      for (const building of buildingsOn(block, seed)) {
        if (writer.bytes + GML_TAIL.length >= target) break;
        building.hasLod2 = hasLod2 && building.measuredHeight > 0;
        extent.add(building);
        await writer.write(gmlMember(buildingGml(building, '3.1', { ids, isSurveyed: false })));
        buildings++;
      }
      if (writer.bytes + GML_TAIL.length >= target) break;
    }
    await writer.write(GML_TAIL);
    await writer.flush();
    for (const [corner, values] of Object.entries(extent.envelope())) {
      const at =
        Buffer.byteLength(head.slice(0, head.indexOf(`<gml:${corner}Corner>`))) +
        `<gml:${corner}Corner>`.length;
      await file.write(Buffer.from(values.join(' ')), 0, undefined, at);
    }
    return { bytes: writer.bytes, buildings };
  } finally {
    await file.close();
  }
}

/** Gathers text to writes of a megabyte. */
class ChunkWriter {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(WRITE_BYTES * 2);
  #used = 0;
  #flushed = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  get bytes(): number {
    return this.#flushed + this.#used;
  }

  async write(text: string): Promise<void> {
    // A text is at most three bytes a character; single buildings stay far below a megabyte.
    this.#used += this.#buffer.write(text, this.#used);
    if (this.#used >= WRITE_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    await this.#file.write(this.#buffer, 0, this.#used, this.#flushed);
    this.#flushed += this.#used;
    this.#used = 0;
  }
}

class RunningEnvelope {
  #west = Number.POSITIVE_INFINITY;
  #south = Number.POSITIVE_INFINITY;
  #east = Number.NEGATIVE_INFINITY;
  #north = Number.NEGATIVE_INFINITY;
  #low = 0;
  #high = 0;

  add(building: Building): void {
    for (const { footprint, base, lod1Top, roof } of building.bodies) {
      for (const [east, north] of footprint.outer) {
        this.#west = Math.min(this.#west, east);
        this.#east = Math.max(this.#east, east);
        this.#south = Math.min(this.#south, north);
        this.#north = Math.max(this.#north, north);
      }
      this.#low = Math.min(this.#low, base);
      this.#high = Math.max(this.#high, lod1Top, highestOf(roof));
    }
    this.#high = Math.max(this.#high, building.mast?.tip ?? 0);
  }

  envelope(): GmlEnvelope {
    return {
      lower: [latOf(this.#south), lngOf(this.#west), this.#low],
      upper: [latOf(this.#north), lngOf(this.#east), this.#high],
    };
  }
}

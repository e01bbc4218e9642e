/** The package of one output: its tiles one after the other in the order of PMTiles, and `metadata.json`. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tileIdToZxy } from 'pmtiles';
import { type PmtilesEntry, pmtilesHead } from '../../write/pmtiles.ts';
import { MAX_ZOOM, type VectorMetadata } from '../../write/vector-tiles.ts';
import { type JoinContext, type OutputKey, outputSuffix, type PackageSink } from '../part-maker.ts';
import { encodeTile, largest } from './encode-tile.ts';
import { type LayerSummary, SummaryBuilder } from './layer-summary.ts';
import { decodeRecord, readRecords, type TileRecord } from './tile-records.ts';

/** Records of one tile that are kept in memory, bytes: of more, the larger half of the features stays. */
const CROWD_BYTES = 24 << 20;

/** A part's records of the output. */
interface Source {
  path: string;
  summary: LayerSummary;
}

/** Called for each tile, in the order of their ids. */
type TileTarget = (id: number, bytes: Uint8Array) => Promise<void>;

/** Writes the package: tiles as members `{z}/{x}/{y}.mvt` with `metadata.json`, or one PMTiles file. */
export async function writeVectorPackage(
  key: OutputKey,
  sources: readonly Source[],
  sink: PackageSink,
  context: JoinContext,
): Promise<void> {
  const summary = new SummaryBuilder();
  for (const source of sources) summary.merge(source.summary);
  const name = outputSuffix(key).replace('_mvt', '');
  const paths = sources.map(({ path }) => path);
  if (context.options.pmtiles) await writePmtiles(paths, summary, name, sink, context);
  else {
    const zooms = await eachTile(paths, context, async (id, bytes) => {
      const [z, x, y] = tileIdToZxy(id);
      await sink.add(`${z}/${x}/${y}.mvt`, bytes);
    });
    const metadata = metadataOf(name, summary.result(), zooms);
    await sink.add('metadata.json', Buffer.from(JSON.stringify(metadata, null, 2)));
  }
}

/** The tiles go to a scratch file first, because a PMTiles file begins with where they are. */
async function writePmtiles(
  paths: readonly string[],
  summary: SummaryBuilder,
  name: string,
  sink: PackageSink,
  context: JoinContext,
): Promise<void> {
  const path = join(context.scratch, 'tiles.data');
  const file = await open(path, 'w');
  const entries: PmtilesEntry[] = [];
  let offset = 0;
  let zooms: ZoomRange;
  try {
    zooms = await eachTile(paths, context, async (id, bytes) => {
      const packed = gzipSync(bytes);
      await file.writeFile(packed);
      entries.push({ id, run: 1, offset, length: packed.length });
      offset += packed.length;
    });
  } finally {
    await file.close();
  }
  const result = summary.result();
  const metadata = { ...metadataOf(name, result, zooms), conversion: context.provenance };
  const head = pmtilesHead(entries, metadata, result.bounds);
  await sink.add(`${context.name}.pmtiles`, head);
  await sink.addFile(`${context.name}.pmtiles`, path);
  await rm(path);
}

interface ZoomRange {
  minzoom: number;
  maxzoom: number;
}

async function eachTile(
  paths: readonly string[],
  context: JoinContext,
  target: TileTarget,
): Promise<ZoomRange> {
  const zooms: ZoomRange = { minzoom: Infinity, maxzoom: 0 };
  let dropped = 0;
  let crowded = 0;
  /** At the highest zoom, where nothing else shows them. */
  let lost = 0;
  let tile: number | null = null;
  let records: TileRecord[] = [];
  let bytes = 0;
  let droppedHere = 0;
  const finish = async (): Promise<void> => {
    if (tile === null) return;
    const encoded = encodeTile(records);
    droppedHere += encoded.dropped;
    const [zoom] = tileIdToZxy(tile);
    if (zoom === MAX_ZOOM) lost += droppedHere;
    else if (droppedHere > 0) {
      dropped += droppedHere;
      crowded++;
    }
    zooms.minzoom = Math.min(zooms.minzoom, zoom);
    zooms.maxzoom = Math.max(zooms.maxzoom, zoom);
    await target(tile, encoded.bytes);
  };
  const add = (read: Buffer): void => {
    records.push(decodeRecord(Buffer.from(read)));
    bytes += read.length;
    if (bytes <= CROWD_BYTES || records.length === 1) return;
    const kept = largest(records, records.length >> 1);
    droppedHere += records.length - kept.length;
    records = kept;
    bytes = kept.reduce((sum, { properties, commands }) => sum + properties.length + commands.length, 0);
  };
  for await (const some of readRecords(paths, context.scratch)) {
    context.signal.throwIfAborted();
    for (const read of some) {
      if (read.tile !== tile) {
        await finish();
        [tile, records, bytes, droppedHere] = [read.tile, [], 0, 0];
      }
      add(read.encoded);
    }
  }
  await finish();
  if (dropped > 0) {
    context.issue({
      code: 'TILES_CROWDED',
      severity: 'info',
      file: context.name,
      id: null,
      count: dropped,
      message:
        `${crowded} vector tiles would be larger than 500 kB; ${dropped} of their features, the smallest ` +
        `ones, are not shown there.`,
      remedy: 'Higher zooms show them. Nothing need be done.',
    });
  }
  if (lost > 0) {
    context.issue({
      code: 'TILES_FULL',
      severity: 'warning',
      file: context.name,
      id: null,
      count: lost,
      message:
        `Vector tiles of the highest zoom would be larger than 500 kB; features are left out of them ${lost} ` +
        `times, the smallest ones.`,
      remedy: 'Look for features that lie on each other, or convert with --slim.',
    });
  }
  return zooms;
}

/** As published packages have it: MBTiles 1.3 as JSON, the layers as text under `json`. */
function metadataOf(name: string, { layers, bounds }: LayerSummary, zooms: ZoomRange): VectorMetadata {
  const degrees = (...values: number[]) => values.map((value) => value.toFixed(7)).join(',');
  const { west, south, east, north } = bounds;
  const json = {
    vector_layers: Object.entries(layers).map(([id, { fields }]) => ({
      id,
      description: '',
      ...zooms,
      fields,
    })),
    tilestats: {
      layerCount: Object.keys(layers).length,
      layers: Object.entries(layers).map(([layer, { features, geometry, fields }]) => ({
        layer,
        count: features,
        geometry,
        attributeCount: Object.keys(fields).length,
        attributes: Object.entries(fields).map(([attribute, type]) => ({
          attribute,
          type: type.toLowerCase(),
        })),
      })),
    },
  };
  return {
    name,
    description: '',
    version: 2,
    ...zooms,
    center: `${degrees((west + east) / 2, (south + north) / 2)},0`,
    bounds: degrees(west, south, east, north),
    type: 'overlay',
    format: 'pbf',
    json: JSON.stringify(json, null, 2),
  };
}

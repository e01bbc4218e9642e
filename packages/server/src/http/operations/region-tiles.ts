/** Vector tiles of a prefecture or of the whole country: those of its municipalities, laid into one when asked for. */
import { mergeTiles } from '@citymodel/tiles';
import { identityRange } from '@citymodel/zip';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { Gate } from '../../base/gate.ts';
import { isRegion, MOST_TOGETHER, regionTileSets } from '../../catalogue/resolve/mvt-regions.ts';
import type { Dataset } from '../../catalogue/rows/snapshot-dataset.ts';
import { parseMvtSpec } from '../../catalogue/specs/mvt-spec.ts';
import { keyCatalogue } from '../answers/cache-keys.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { DOCUMENT_CACHE, sendComputedBytes } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { isTileOf } from './empty-tile.ts';

/** Tiles that are laid together at once in the process, and that wait for it. */
const LIMITS = { atOnce: 2, waiting: 200 };
/** Largest tile of a municipality, bytes; those that the converter writes have half a megabyte when gzipped. */
const MAX_TILE = 16 << 20;

/** Where the tiles of a spec are, behind its address: the template that TileJSON has. */
export const REGION_TILE_ROUTE = '/datacatalog/mvt/:spec/:z/:x/:y';

/** `GET /datacatalog/mvt/{spec}/{z}/{x}/{y}.mvt` of a prefecture (`13-…`) or of the country (`all-…`). */
export function serveRegionTile({ watch, archives }: ServiceContext): RouteHandlerMethod {
  const gate = new Gate(LIMITS);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { spec: text, z, x, y } = request.params as Record<'spec' | 'z' | 'x' | 'y', string>;
    const spec = parseMvtSpec(text);
    const place = `${z}/${x}/${y}`;
    if (!isRegion(spec) || !/^\d{1,2}\/\d{1,10}\/\d{1,10}\.mvt$/.test(place)) throw noTile();
    const tileSets = regionTileSets(watch.current(), spec).filter(({ package: row, summary }) =>
      isTileOf(row, pathOf(summary.entry, place)),
    );
    if (tileSets.length > MOST_TOGETHER) throw noTile();
    keyCatalogue(reply);
    reply.header('cache-control', DOCUMENT_CACHE);
    const { bytes, leftOut } = await gate.run(async () => {
      const tiles: Uint8Array[] = [];
      for (const { package: row, summary } of tileSets) {
        const tile = await readTile(archives, row, pathOf(summary.entry, place));
        if (tile !== null) tiles.push(tile);
      }
      return tiles.length === 1 ? { bytes: tiles[0]!, leftOut: 0 } : mergeTiles(tiles);
    }, goneSignal(reply));
    if (leftOut > 0)
      reply.header('warning', `199 citymodel "${leftOut} layers have another extent and are left out"`);
    if (bytes.length === 0) return reply.code(204).send();
    reply.header('content-type', 'application/vnd.mapbox-vector-tile');
    return sendComputedBytes(request, reply, Buffer.from(bytes));
  };
}

function pathOf(entry: string, place: string): string {
  return entry.replace('{z}/{x}/{y}', place.replace(/\.mvt$/, ''));
}

/** The bytes of a tile; null where the package has none there. */
async function readTile(
  archives: ServiceContext['archives'],
  row: Dataset['package'],
  path: string,
): Promise<Uint8Array | null> {
  await using archive = await archives.open(row);
  const member = archive.index.find(path);
  if (member === undefined) return null;
  if (member.size > MAX_TILE) {
    throw new ServiceError(413, 'request too large', {
      reason: `A tile of ${row.name} has more than ${MAX_TILE} bytes; ask for it alone.`,
    });
  }
  const chunks: Uint8Array[] = [];
  const blocks = await archive.blocks(member);
  for await (const chunk of identityRange(archive.archive, member, blocks, 0, member.size))
    chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

function noTile(): ServiceError {
  return new ServiceError(404, 'not found', {
    reason: 'There is no tile there; the TileJSON of the spec says which zooms and bounds have some.',
  });
}

import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import type { TestServer } from './server.ts';

/** The first vector tile of a template that is there, from the lowest zoom, with the names of its layers. */
export async function firstTile(
  server: TestServer,
  tilejson: { tiles: string[]; bounds: number[]; minzoom: number; maxzoom: number },
): Promise<{ url: string; layers: string[]; features: number } | null> {
  const [west, south, east, north] = tilejson.bounds as [number, number, number, number];
  for (let z = tilejson.minzoom; z <= tilejson.maxzoom; z++) {
    const n = 2 ** z;
    const x = (lng: number) => Math.floor(((lng + 180) / 360) * n);
    const y = (lat: number) =>
      Math.floor(((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * n);
    for (let row = y(north); row <= y(south); row++) {
      for (let column = x(west); column <= x(east); column++) {
        const url = tilejson.tiles[0]!.replace('{z}', String(z))
          .replace('{x}', String(column))
          .replace('{y}', String(row));
        const reply = await server.request(url);
        if (reply.status !== 200) continue;
        const tile = new VectorTile(new PbfReader(reply.body));
        const layers = Object.values(tile.layers);
        return {
          url,
          layers: layers.map(({ name }) => name),
          features: layers.reduce((sum, layer) => sum + layer.length, 0),
        };
      }
    }
  }
  return null;
}

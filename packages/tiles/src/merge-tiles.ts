/** Several vector tiles of one place as one (Mapbox Vector Tile 2.1): layers of one name become one layer. */
import { PbfReader, PbfWriter } from 'pbf';

/** Fields of a layer and of a feature (section 4). */
const Layer = { name: 1, feature: 2, key: 3, value: 4, extent: 5, version: 15 } as const;
const Feature = { id: 1, tags: 2, type: 3, geometry: 4 } as const;
const TILE_LAYER = 3;
const DEFAULT_EXTENT = 4_096;

interface ReadLayer {
  name: string;
  version: number;
  extent: number;
  keys: string[];
  /** Encoded. */
  values: Uint8Array[];
  features: Uint8Array[];
}

export interface MergedTile {
  readonly bytes: Uint8Array;
  /** Layers that have another extent than one of their name before: they are not in it. */
  readonly leftOut: number;
}

/** The tiles as one, in their order. Throws what reading a tile that is none throws. */
export function mergeTiles(tiles: readonly Uint8Array[]): MergedTile {
  const layers = new Map<string, Merging>();
  let leftOut = 0;
  for (const tile of tiles) {
    for (const layer of layersOf(tile)) {
      const merging = layers.get(layer.name) ?? new Merging(layer);
      layers.set(layer.name, merging);
      if (merging.extent === layer.extent) merging.add(layer);
      else leftOut++;
    }
  }
  const pbf = new PbfWriter();
  for (const layer of layers.values()) pbf.writeMessage(TILE_LAYER, (one, out) => one.write(out), layer);
  return { bytes: pbf.finish(), leftOut };
}

/** One layer out of several, whose keys and values are numbered anew. */
class Merging {
  readonly extent: number;
  readonly #name: string;
  #version: number;
  readonly #keys = new Map<string, number>();
  readonly #values = new Map<string, { number: number; bytes: Uint8Array }>();
  readonly #features: Uint8Array[] = [];

  constructor({ name, version, extent }: ReadLayer) {
    this.#name = name;
    this.#version = version;
    this.extent = extent;
  }

  add({ version, keys, values, features }: ReadLayer): void {
    this.#version = Math.max(this.#version, version);
    const keyNumbers = keys.map((key) => numberOf(this.#keys, key));
    const valueNumbers = values.map((bytes) => {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      const known = this.#values.get(text) ?? { number: this.#values.size, bytes };
      this.#values.set(text, known);
      return known.number;
    });
    for (const feature of features) this.#features.push(renumbered(feature, keyNumbers, valueNumbers));
  }

  write(out: PbfWriter): void {
    out.writeVarintField(Layer.version, this.#version);
    out.writeStringField(Layer.name, this.#name);
    for (const feature of this.#features) out.writeBytesField(Layer.feature, feature);
    for (const key of this.#keys.keys()) out.writeStringField(Layer.key, key);
    for (const { bytes } of this.#values.values()) out.writeBytesField(Layer.value, bytes);
    out.writeVarintField(Layer.extent, this.extent);
  }
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key) ?? numbers.size;
  numbers.set(key, known);
  return known;
}

function layersOf(tile: Uint8Array): ReadLayer[] {
  const layers: ReadLayer[] = [];
  new PbfReader(tile).readFields((tag, _, pbf) => {
    if (tag !== TILE_LAYER) return;
    const layer: ReadLayer = {
      name: '',
      version: 1,
      extent: DEFAULT_EXTENT,
      keys: [],
      values: [],
      features: [],
    };
    layers.push(pbf.readMessage(readLayerField, layer));
  }, null);
  return layers;
}

function readLayerField(tag: number, layer: ReadLayer, pbf: PbfReader): void {
  if (tag === Layer.name) layer.name = pbf.readString();
  else if (tag === Layer.version) layer.version = pbf.readVarint();
  else if (tag === Layer.extent) layer.extent = pbf.readVarint();
  else if (tag === Layer.key) layer.keys.push(pbf.readString());
  else if (tag === Layer.value) layer.values.push(pbf.readBytes());
  else if (tag === Layer.feature) layer.features.push(pbf.readBytes());
}

/** A feature with its tags by other numbers; those that no key or value has are left out. */
function renumbered(feature: Uint8Array, keys: readonly number[], values: readonly number[]): Uint8Array {
  const out = new PbfWriter();
  new PbfReader(feature).readFields((tag, _, pbf) => {
    if (tag === Feature.id) out.writeVarintField(Feature.id, pbf.readVarint());
    else if (tag === Feature.type) out.writeVarintField(Feature.type, pbf.readVarint());
    else if (tag === Feature.geometry) out.writeBytesField(Feature.geometry, pbf.readBytes());
    else if (tag === Feature.tags) {
      const tags = pbf.readPackedVarint([]);
      const renamed: number[] = [];
      for (let i = 0; i + 1 < tags.length; i += 2) {
        const [key, value] = [keys[tags[i]!], values[tags[i + 1]!]];
        if (key !== undefined && value !== undefined) renamed.push(key, value);
      }
      out.writePackedVarint(Feature.tags, renamed);
    }
  }, null);
  return out.finish();
}

/**
 * The ground below models: the service's own roads, water and land use, drawn from its vector tiles and laid over the
 * guessed terrain.
 */

import type { Bounds } from '@citymodel/geo';
import {
  BoundingSphere,
  Cartesian3,
  ComponentDatatype,
  Geometry,
  GeometryAttribute,
  GeometryInstance,
  Material,
  MaterialAppearance,
  Primitive,
  PrimitiveCollection,
  PrimitiveType,
  type Scene,
  ShadowMode,
  TextureMinificationFilter,
} from 'cesium';
import type { DatasetRow } from '../../core/catalogue.ts';
import { hereOf } from '../../core/config.ts';
import type { Theme } from '../../core/state.ts';
import type { Air } from './air.ts';
import { type GroundSample, groundHeight } from './ground-height.ts';
import { drawGround, type GroundPicture, PICTURE_SIZE, type TilePart } from './ground-picture.ts';
import { boundsOfTile, sourceTile, type TileAddress, tilesOver } from './ground-tiles.ts';
import { Sampler, Texture } from './private-cesium.ts';
import { Surroundings } from './surroundings.ts';

/** Squares along a side of a tile's mesh. */
const GRID = 20;
/** Below the feet of buildings, so that floors and streets of models are not in it, metres. */
const BELOW = 0.3;
/** Part of the light that a baked shadow takes. */
const SHADE = 0.3;

interface Source {
  type: string;
  template: string;
  minzoom: number;
  maxzoom: number;
}

/** Metres by which the ground has to be another one before it is laid anew. */
const MOVED = 0.3;

/** A tile of the ground as it is drawn. */
interface Drawn {
  address: TileAddress;
  texture: InstanceType<typeof Texture>;
  appearance: MaterialAppearance;
  /** What lies there now, with its heights at corners and middle. */
  laid: { primitive: Primitive; heights: number[] } | null;
}

export class Ground {
  readonly #scene: Scene;
  readonly #primitives = new PrimitiveCollection();
  readonly #surroundings: Surroundings;
  #air: Air | null = null;
  #hasShadows = true;
  #theme: Theme;
  #sources: Source[] = [];
  #bounds: Bounds | null = null;
  #heightAt: (lng: number, lat: number) => number = () => 0;
  #drawn: Drawn[] = [];
  /** Stops what is being fetched for a ground that is not wanted any more. */
  #abort = new AbortController();

  constructor(scene: Scene, theme: Theme) {
    this.#scene = scene;
    this.#theme = theme;
    const around = new PrimitiveCollection();
    this.#surroundings = new Surroundings(around);
    scene.primitives.add(around);
    scene.primitives.add(this.#primitives);
  }

  /** Lays plain land around a model that is being opened. */
  surround(bounds: Bounds, height: number): void {
    this.#abort.abort();
    this.#clear();
    this.#sources = [];
    this.#bounds = bounds;
    this.#heightAt = () => height;
    this.#surroundings.lay(bounds, null, this.#heightAt);
  }

  /** Colours of the hour and the theme. */
  set air(air: Air) {
    this.#air = air;
    this.#surroundings.air = air;
    this.#shade();
  }

  /** Whether pictures show the shadows of whole buildings in the light of drawings. */
  set hasShadows(value: boolean) {
    if (value === this.#hasShadows) return;
    this.#hasShadows = value;
    this.#shade();
  }

  /**
   * Draws the ground of a box from these datasets, which are MVT. What cannot be fetched stays away: the ground is an
   * aid to the eye.
   */
  async show(datasets: readonly DatasetRow[], bounds: Bounds): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#bounds = bounds;
    this.#sources = (await Promise.all(datasets.map((row) => sourceOf(row, signal)))).filter(
      (source) => source !== null,
    );
    if (signal.aborted || this.#sources.length === 0) return;
    await this.#draw(signal);
  }

  /** Lays the ground over these samples. */
  follow(samples: readonly GroundSample[], otherwise: number): void {
    this.#heightAt = groundHeight(samples, otherwise);
    this.#place();
    if (this.#bounds !== null) this.#surroundings.lay(this.#bounds, this.#pictured(), this.#heightAt);
  }

  setTheme(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    if (this.#sources.length > 0) void this.#draw(this.#abort.signal);
  }

  destroy(): void {
    this.#abort.abort();
  }

  #clear(): void {
    this.#primitives.removeAll();
    for (const { texture } of this.#drawn) texture.destroy();
    this.#drawn = [];
  }

  async #draw(signal: AbortSignal): Promise<void> {
    const pictures: Array<[TileAddress, GroundPicture]> = [];
    for (const address of tilesOver(this.#bounds!)) {
      const parts = (
        await Promise.all(this.#sources.map((source) => partOf(source, address, signal)))
      ).filter((part) => part !== null);
      if (signal.aborted) return;
      try {
        pictures.push([address, drawGround(parts, this.#theme, metresOf(address))]);
      } catch {
        // Bytes that are no vector tile: the map view tells of them.
        pictures.push([address, drawGround([], this.#theme, 1)]);
      }
    }
    this.#clear();
    this.#drawn = pictures.map(([address, picture]) => {
      const texture = textureOf(this.#scene, picture);
      return { address, texture, appearance: appearanceOf(texture), laid: null };
    });
    this.#shade();
    this.#place();
    this.#surroundings.lay(this.#bounds!, this.#pictured(), this.#heightAt);
  }

  /** The box of all pictures; null without any. */
  #pictured(): Bounds | null {
    const boxes = this.#drawn.map(({ address }) => boundsOfTile(address));
    if (boxes.length === 0) return null;
    return {
      west: Math.min(...boxes.map(({ west }) => west)),
      south: Math.min(...boxes.map(({ south }) => south)),
      east: Math.max(...boxes.map(({ east }) => east)),
      north: Math.max(...boxes.map(({ north }) => north)),
    };
  }

  /** Tells the materials what light there is. */
  #shade(): void {
    const air = this.#air;
    if (air === null) return;
    for (const { appearance } of this.#drawn) {
      const { uniforms } = appearance.material;
      uniforms.tint = vector(air.tint);
      uniforms.haze = vector(air.horizon);
      uniforms.reach = { x: air.hazeFrom, y: air.hazeTo };
      uniforms.shade = this.#hasShadows ? SHADE : 0;
    }
    this.#scene.requestRender();
  }

  /** Lays the tiles whose ground has moved; the others stay as they are, for each takes time. */
  #place(): void {
    let isChanged = false;
    for (const tile of this.#drawn) {
      const bounds = boundsOfTile(tile.address);
      const heights = heightsOf(bounds, this.#heightAt);
      const { laid } = tile;
      if (laid !== null) {
        if (laid.heights.every((height, i) => Math.abs(height - heights[i]!) < MOVED)) continue;
        this.#primitives.remove(laid.primitive);
      }
      const primitive = new Primitive({
        geometryInstances: new GeometryInstance({ geometry: meshOf(bounds, this.#heightAt) }),
        appearance: tile.appearance,
        asynchronous: false,
        allowPicking: false,
        shadows: ShadowMode.RECEIVE_ONLY,
      });
      this.#primitives.add(primitive);
      tile.laid = { primitive, heights };
      isChanged = true;
    }
    if (isChanged) this.#scene.requestRender();
  }
}

/** At the corners of a box and in its middle. */
function heightsOf(
  { west, south, east, north }: Bounds,
  heightAt: (lng: number, lat: number) => number,
): number[] {
  return [
    heightAt(west, south),
    heightAt(east, south),
    heightAt(west, north),
    heightAt(east, north),
    heightAt((west + east) / 2, (south + north) / 2),
  ];
}

/** The picture with the light of the hour; how far it lies in the shade is its alpha, from 1 (not at all) to 0. */
const MATERIAL = `
czm_material czm_getMaterial(czm_materialInput materialInput) {
  czm_material material = czm_getDefaultMaterial(materialInput);
  vec4 picture = texture(image, materialInput.st);
  vec3 colour = picture.rgb * tint.rgb * (1.0 - shade * (1.0 - picture.a));
  float far = smoothstep(reach.x, reach.y, length(materialInput.positionToEyeEC));
  material.diffuse = mix(colour, haze.rgb, far);
  return material;
}`;

function vector([x, y, z]: readonly number[]): { x: number; y: number; z: number; w: number } {
  return { x: x!, y: y!, z: z!, w: 1 };
}

/** Metres of a pixel of a tile's picture. */
function metresOf(address: TileAddress): number {
  const { south, north } = boundsOfTile(address);
  return ((north - south) * 111_320) / PICTURE_SIZE;
}

/** Shows a picture; the code that made the texture destroys it. */
function appearanceOf(texture: object): MaterialAppearance {
  const material = new Material({
    // The `Image` of CesiumJS looks each pixel up twice, and begins the picture again at its edge, where a line would
    // show.
    fabric: {
      uniforms: {
        image: Material.DefaultImageId,
        tint: { x: 1, y: 1, z: 1, w: 1 },
        haze: { x: 1, y: 1, z: 1, w: 1 },
        reach: { x: 1, y: 2 },
        shade: 0,
      },
      source: MATERIAL,
    },
    translucent: false,
  });
  material.uniforms.image = texture;
  return new MaterialAppearance({
    flat: true,
    translucent: false,
    materialSupport: MaterialAppearance.MaterialSupport.TEXTURED,
    material,
  });
}

/** A picture that is clear also where it lies flat and far away. */
function textureOf(scene: Scene, picture: GroundPicture): InstanceType<typeof Texture> {
  // Materials make textures without smaller copies by themselves; CesiumJS exports what is needed without describing
  // it.
  const { context } = scene as unknown as { context: { maximumTextureFilterAnisotropy: number } };
  const texture = new Texture({
    context,
    source: picture,
    sampler: new Sampler({
      minificationFilter: TextureMinificationFilter.LINEAR_MIPMAP_LINEAR,
      maximumAnisotropy: Math.min(8, context.maximumTextureFilterAnisotropy),
    }),
  });
  texture.generateMipmap();
  return texture;
}

/** Where the tiles of a dataset are; null when it cannot be told. */
async function sourceOf(row: DatasetRow, signal: AbortSignal): Promise<Source | null> {
  const url = row.composite_url ?? row.url;
  try {
    const response = await fetch(hereOf(url), { signal });
    const { tiles, minzoom, maxzoom } = (await response.json()) as {
      tiles: string[];
      minzoom: number;
      maxzoom: number;
    };
    return { type: row.type_en, template: tiles[0]!, minzoom, maxzoom };
  } catch {
    return null;
  }
}

async function partOf(source: Source, address: TileAddress, signal: AbortSignal): Promise<TilePart | null> {
  if (address.z < source.minzoom) return null;
  const { tile, left, top, size } = sourceTile(address, source.maxzoom);
  const url = source.template
    .replace('{z}', String(tile.z))
    .replace('{x}', String(tile.x))
    .replace('{y}', String(tile.y));
  try {
    const response = await fetch(hereOf(url), { signal });
    if (response.status !== 200) return null;
    return { type: source.type, bytes: new Uint8Array(await response.arrayBuffer()), left, top, size };
  } catch {
    return null;
  }
}

/** A grid over a box at the heights of the ground. */
function meshOf(
  { west, south, east, north }: Bounds,
  heightAt: (lng: number, lat: number) => number,
): Geometry {
  const side = GRID + 1;
  const positions = new Float64Array(side * side * 3);
  const st = new Float32Array(side * side * 2);
  const point = new Cartesian3();
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const [s, t] = [column / GRID, row / GRID];
      const lng = west + (east - west) * s;
      const lat = south + (north - south) * t;
      Cartesian3.fromDegrees(lng, lat, heightAt(lng, lat) - BELOW, undefined, point);
      const at = row * side + column;
      positions.set([point.x, point.y, point.z], at * 3);
      st.set([s, t], at * 2);
    }
  }
  const indices: number[] = [];
  for (let row = 0; row < GRID; row++) {
    for (let column = 0; column < GRID; column++) {
      const at = row * side + column;
      indices.push(at, at + 1, at + side + 1, at, at + side + 1, at + side);
    }
  }
  return new Geometry({
    attributes: {
      position: new GeometryAttribute({
        componentDatatype: ComponentDatatype.DOUBLE,
        componentsPerAttribute: 3,
        values: positions,
      }),
      normal: new GeometryAttribute({
        componentDatatype: ComponentDatatype.FLOAT,
        componentsPerAttribute: 3,
        values: normals(positions),
      }),
      st: new GeometryAttribute({
        componentDatatype: ComponentDatatype.FLOAT,
        componentsPerAttribute: 2,
        values: st,
      }),
    } as never,
    indices: new Uint16Array(indices),
    primitiveType: PrimitiveType.TRIANGLES,
    boundingSphere: BoundingSphere.fromVertices([...positions]),
  });
}

/** Up, at every point. */
function normals(positions: Float64Array): Float32Array {
  const values = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    const up = Cartesian3.normalize(Cartesian3.unpack(positions as never, i), new Cartesian3());
    values.set([up.x, up.y, up.z], i);
  }
  return values;
}

/** A z-buffer: which surface each pixel of a picture shows, how far away, and which way that faces. */
import type { Camera } from './camera.ts';
import type { Surface } from './surfaces.ts';
import type { Level, Texture } from './texture.ts';

/** Nearer than this nothing is drawn, metres. */
const NEAR = 2;
/** Less opaque pixels of an image are holes. */
const HOLE = 96;
/** Red of what is black: the ground alone has none of any colour. */
const DARKEST = 1;

export interface Pixels {
  width: number;
  height: number;
  /** Metres ahead of the eye; Infinity where nothing is. */
  depth: Float32Array;
  /** Red, green, blue as they are shown (sRGB), and how far the colour is one that may be painted over: 4 bytes. */
  colour: Uint8Array;
  /** Towards the viewer, times 127: east, north, up. */
  normal: Int8Array;
}

export function emptyPixels(width: number, height: number): Pixels {
  const count = width * height;
  return {
    width,
    height,
    depth: new Float32Array(count).fill(Infinity),
    colour: new Uint8Array(4 * count),
    normal: new Int8Array(3 * count),
  };
}

/** A vertex under the camera: pixels, one by the depth, and texture coordinates by the depth. */
interface Corner {
  x: number;
  y: number;
  z: number;
  u: number;
  v: number;
}

/** Draws surfaces that hide each other, whatever side of them is seen. */
export class Raster {
  readonly #pixels: Pixels;
  readonly #camera: Camera;
  readonly #corners: Corner[] = Array.from({ length: 4 }, () => ({ x: 0, y: 0, z: 0, u: 0, v: 0 }));

  constructor(pixels: Pixels, camera: Camera) {
    this.#pixels = pixels;
    this.#camera = camera;
  }

  draw({ positions, indices, uvs, colours, factor, texture, isPlain, isGround }: Surface): void {
    const { ahead, right, up, eye, halfWidth, halfHeight, shift } = this.#camera;
    const corners = this.#corners;
    const [a, b, c] = corners as [Corner, Corner, Corner, Corner];
    const view = new Float64Array(positions.length);
    for (let i = 0; i < positions.length; i += 3) {
      const x = positions[i]! - eye[0];
      const y = positions[i + 1]! - eye[1];
      const z = positions[i + 2]! - eye[2];
      view[i] = (x * right[0] + y * right[1] + z * right[2]) / halfWidth;
      view[i + 2] = x * ahead[0] + y * ahead[1] + z * ahead[2];
      view[i + 1] = (x * up[0] + y * up[1] + z * up[2]) / halfHeight - shift * view[i + 2]!;
    }
    const darkest = isGround ? 0 : DARKEST;
    const fill = { red: 0, green: 0, blue: 0, opacity: 1, darkest, plain: 0, nx: 0, ny: 0, nz: 0 };
    for (let t = 0; t + 2 < indices.length; t += 3) {
      const [i, j, k] = [indices[t]!, indices[t + 1]!, indices[t + 2]!];
      const [zi, zj, zk] = [view[3 * i + 2]!, view[3 * j + 2]!, view[3 * k + 2]!];
      if (zi < NEAR && zj < NEAR && zk < NEAR) continue;
      if (!facing(fill, positions, i, j, k, eye)) continue;
      paint(fill, colours, i, factor, texture, isPlain);
      const put = (corner: Corner, at: number) => {
        corner.x = view[3 * at]!;
        corner.y = view[3 * at + 1]!;
        corner.z = view[3 * at + 2]!;
        corner.u = uvs === null ? 0 : uvs[2 * at]!;
        corner.v = uvs === null ? 0 : uvs[2 * at + 1]!;
      };
      put(a, i);
      put(b, j);
      put(c, k);
      if (zi >= NEAR && zj >= NEAR && zk >= NEAR) this.#fill(a, b, c, fill, texture);
      else this.#clipped(fill, texture);
    }
  }

  /** What is ahead of the plane nearest to the eye: one triangle, or two. */
  #clipped(fill: Fill, texture: Texture | null): void {
    const [a, b, c] = this.#corners as [Corner, Corner, Corner, Corner];
    const kept: Corner[] = [];
    const all = [a, b, c].map((corner) => ({ ...corner }));
    for (const [n, from] of all.entries()) {
      const to = all[(n + 1) % 3]!;
      if (from.z >= NEAR) kept.push(from);
      if (from.z >= NEAR === to.z >= NEAR) continue;
      const part = (NEAR - from.z) / (to.z - from.z);
      const between = (key: keyof Corner) => from[key] + part * (to[key] - from[key]);
      kept.push({ x: between('x'), y: between('y'), z: NEAR, u: between('u'), v: between('v') });
    }
    for (let n = 2; n < kept.length; n++) {
      this.#fill({ ...kept[0]! }, { ...kept[n - 1]! }, { ...kept[n]! }, fill, texture);
    }
  }

  #fill(a: Corner, b: Corner, c: Corner, fill: Fill, texture: Texture | null): void {
    const { width, height, depth, colour, normal } = this.#pixels;
    for (const corner of [a, b, c]) {
      corner.z = 1 / corner.z;
      corner.x = (corner.x * corner.z * 0.5 + 0.5) * width;
      corner.y = (0.5 - corner.y * corner.z * 0.5) * height;
    }
    const area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if (!(Math.abs(area) > 1e-9)) return;
    const left = Math.max(0, Math.ceil(Math.min(a.x, b.x, c.x) - 0.5));
    const rightmost = Math.min(width - 1, Math.floor(Math.max(a.x, b.x, c.x) - 0.5));
    const top = Math.max(0, Math.ceil(Math.min(a.y, b.y, c.y) - 0.5));
    const bottom = Math.min(height - 1, Math.floor(Math.max(a.y, b.y, c.y) - 0.5));
    if (left > rightmost || top > bottom) return;
    const level = texture === null ? null : levelFor(texture, a, b, c, area);
    const [bx, by] = [(c.y - a.y) / area, (a.x - c.x) / area];
    const [cx, cy] = [(a.y - b.y) / area, (b.x - a.x) / area];
    for (let y = top; y <= bottom; y++) {
      const [dx, dy] = [left + 0.5 - a.x, y + 0.5 - a.y];
      let wb = dx * bx + dy * by;
      let wc = dx * cx + dy * cy;
      let at = y * width + left;
      for (let x = left; x <= rightmost; x++, at++, wb += bx, wc += cx) {
        const wa = 1 - wb - wc;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        const inverse = wa * a.z + wb * b.z + wc * c.z;
        const far = 1 / inverse;
        if (far >= depth[at]!) continue;
        let { red, green, blue, opacity } = fill;
        if (level !== null) {
          const u = (wa * a.u * a.z + wb * b.u * b.z + wc * c.u * c.z) * far;
          const v = (wa * a.v * a.z + wb * b.v * b.z + wc * c.v * c.z) * far;
          const from = texel(level, u, v);
          if (level.data[from + 3]! < HOLE) continue;
          red *= level.data[from]!;
          green *= level.data[from + 1]!;
          blue *= level.data[from + 2]!;
        }
        if (opacity < 0.98 && depth[at]! < Infinity) {
          // What is seen through takes on a colour, and keeps its shape.
          opacity = Math.max(0.35, opacity);
          colour[4 * at] = colour[4 * at]! * (1 - opacity) + red * opacity;
          colour[4 * at + 1] = colour[4 * at + 1]! * (1 - opacity) + green * opacity;
          colour[4 * at + 2] = colour[4 * at + 2]! * (1 - opacity) + blue * opacity;
          colour[4 * at + 3] = 0;
          continue;
        }
        depth[at] = far;
        colour[4 * at] = Math.max(fill.darkest, red);
        colour[4 * at + 1] = green;
        colour[4 * at + 2] = blue;
        colour[4 * at + 3] = fill.plain;
        normal[3 * at] = fill.nx;
        normal[3 * at + 1] = fill.ny;
        normal[3 * at + 2] = fill.nz;
      }
    }
  }
}

interface Fill {
  red: number;
  green: number;
  blue: number;
  opacity: number;
  /** Red at least. */
  darkest: number;
  plain: number;
  nx: number;
  ny: number;
  nz: number;
}

/** The normal of a triangle towards the eye; false for one without an area. */
function facing(
  fill: Fill,
  p: Float32Array,
  i: number,
  j: number,
  k: number,
  eye: readonly number[],
): boolean {
  const [ax, ay, az] = [p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!];
  const [ux, uy, uz] = [p[3 * j]! - ax, p[3 * j + 1]! - ay, p[3 * j + 2]! - az];
  const [vx, vy, vz] = [p[3 * k]! - ax, p[3 * k + 1]! - ay, p[3 * k + 2]! - az];
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const length = Math.hypot(nx, ny, nz);
  if (!(length > 0) || length === Infinity) return false;
  const towards = nx * (eye[0]! - ax) + ny * (eye[1]! - ay) + nz * (eye[2]! - az);
  const scale = (towards < 0 ? -127 : 127) / length;
  fill.nx = Math.round(nx * scale);
  fill.ny = Math.round(ny * scale);
  fill.nz = Math.round(nz * scale);
  return true;
}

/** The colour of a triangle: 0 to 1 with an image, which it is multiplied with; else 0 to 255. */
function paint(
  fill: Fill,
  colours: Float32Array | null,
  vertex: number,
  factor: Surface['factor'],
  texture: Texture | null,
  isPlain: boolean,
): void {
  const part = (k: number) =>
    Math.min(1, Math.max(0, factor[k]! * (colours === null ? 1 : colours[4 * vertex + k]!)));
  const scale = texture === null ? 255 : 1;
  const [red, green, blue] = [part(0), part(1), part(2)];
  fill.red = red ** (1 / 2.2) * scale;
  fill.green = green ** (1 / 2.2) * scale;
  fill.blue = blue ** (1 / 2.2) * scale;
  fill.opacity = part(3);
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
  fill.plain =
    isPlain && texture === null ? Math.round(255 * Math.min(1, Math.max(0, (0.1 - spread) / 0.08))) : 0;
}

/** The level of an image whose pixels are about as large as those of the picture. */
function levelFor(texture: Texture, a: Corner, b: Corner, c: Corner, area: number): Level {
  const { width, height } = texture[0]!;
  const covered = Math.abs((b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v)) * width * height;
  const level = Math.round(0.5 * Math.log2(Math.max(1, covered / Math.abs(area))));
  return texture[Math.min(texture.length - 1, Number.isFinite(level) ? level : 0)]!;
}

/** Where the bytes of a pixel of an image that repeats begin. */
function texel({ width, height }: Level, u: number, v: number): number {
  const x = Math.min(width - 1, Math.floor((u - Math.floor(u)) * width));
  const y = Math.min(height - 1, Math.floor((v - Math.floor(v)) * height));
  return 4 * (y * width + x) || 0;
}

/**
 * How surfaces look (CityGML 2.0, section 9; 3.0, section 8.5): which image and which texture coordinates a ring has,
 * which colour a surface has. All of one file, because appearances may stand before or after the features that they are
 * of.
 */
import { posix } from 'node:path';
import { localName, type XmlElement } from '@citymodel/citygml';
import { keyOfReference } from './key.ts';

/** Colour of an `app:X3DMaterial`: red, green, blue, opacity, 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, opacity: number];

export interface RingTexture {
  /** Number of the image in `images`. */
  image: number;
  /** u and v by turns, from the lower left, for each written position of the ring. */
  uvs: Float32Array;
}

/** An image that is laid over surfaces: what falls where follows from where they are. */
export interface LaidImage {
  /** Number of the image in `images`. */
  image: number;
  /** Of `app:referencePoint` and matrices; null for that of the file. */
  srsName: string | null;
  /**
   * `ground`: a picture of the ground (`app:GeoreferencedTexture`), with its inline `app:referencePoint` and
   * `app:orientation`; null when a file beside the image has them, or the image itself. `matrix`: `app:TexCoordGen`, 3
   * rows of 4 numbers, from a position with 1 behind it to u, v and what both are divided by.
   */
  by:
    | { kind: 'ground'; inline: readonly number[] | null; prefersWorldFile: boolean }
    | { kind: 'matrix'; numbers: readonly number[] };
}

export class Appearances {
  /** Paths of images in the package, as far as references tell. */
  readonly images: string[] = [];
  readonly colours: Colour[] = [];
  /** Surfaces that an image is for, and whose texture coordinates are not there. */
  unread = 0;
  /** Images that are laid over surfaces. */
  readonly laid: LaidImage[] = [];
  readonly #laidOn = new Map<number, number>();
  readonly #gmlPath: string;
  readonly #imageNumbers = new Map<string, number>();
  readonly #rings = new Map<number, number>();
  readonly #colourOf = new Map<number, number>();
  /** `app:TexCoordGen` by the key of its id, and what refers to one that did not come yet. */
  readonly #generators = new Map<number, XmlElement>();
  readonly #waiting = new Map<number, Array<(generator: XmlElement) => void>>();
  /** For each textured ring its image, where its coordinates begin, and their number. */
  #entries = new Uint32Array(3 * 256);
  #entryCount = 0;
  #uvs = new Float32Array(4096);
  #uvCount = 0;

  constructor(gmlPath: string) {
    this.#gmlPath = gmlPath;
  }

  /** True when some surface has an image. */
  get hasImages(): boolean {
    return this.#entryCount > 0 || this.laid.length > 0;
  }

  get isEmpty(): boolean {
    return !this.hasImages && this.#colourOf.size === 0;
  }

  /** Takes an `app:Appearance`, or a piece of one. What several themes say of one surface, the first says. */
  add(element: XmlElement): void {
    switch (element.name) {
      case 'app:ParameterizedTexture':
        this.#addParameterized(element);
        return;
      case 'app:GeoreferencedTexture':
        this.#addGround(element);
        return;
      case 'app:X3DMaterial':
        this.#addColour(element);
        return;
      default:
        for (const child of element.children) this.add(child);
    }
  }

  /** The texture of the ring with this key; null for none. */
  textureOf(ringKey: number): RingTexture | null {
    const entry = this.#rings.get(ringKey);
    if (entry === undefined) return null;
    const [image, start, count] = this.#entries.subarray(3 * entry, 3 * entry + 3) as unknown as [
      number,
      number,
      number,
    ];
    return { image, uvs: this.#uvs.subarray(start, start + count) };
  }

  /** The colour of the first of these that has one. */
  colourOf(keys: Iterable<number>): Colour | null {
    const number = firstOf(this.#colourOf, keys);
    return number === undefined ? null : this.colours[number]!;
  }

  /** The number in `laid` of the image over the first of these that has one; null for none. */
  laidOn(keys: Iterable<number>): number | null {
    return firstOf(this.#laidOn, keys) ?? null;
  }

  #addParameterized(texture: XmlElement): void {
    const uri = textOf(texture, 'imageURI');
    if (uri === null) return;
    const image = this.#imageOf(uri);
    if (textOf(texture, 'isFront') === 'false') return;
    for (const property of texture.children) {
      if (property.name === 'app:target') this.#parameterize(property, property.attributes.uri ?? '', image);
      else if (property.name === 'app:textureParameterization') this.#addAssociation(property, image);
    }
  }

  /**
   * CityGML 3.0 (OGC 20-010, section 8.5): what has the texture, and how it lies there, stand in an object of their
   * own.
   */
  #addAssociation(property: XmlElement, image: number): void {
    const association = property.children.find(({ name }) => name === 'app:TextureAssociation');
    const target = association === undefined ? null : textOf(association, 'target');
    const how = association?.children.find(({ name }) => name === 'app:textureParameterization');
    if (target === null || how === undefined) this.unread++;
    else this.#parameterize(how, target, image);
  }

  /** `holder` has the coordinates or the matrix, or refers to a matrix; `target` refers to the surface. */
  #parameterize(holder: XmlElement, target: string, image: number): void {
    const shared = holder.attributes['xlink:href'];
    if (shared !== undefined) {
      this.#withGenerator(keyOfReference(shared), (list) => this.#addMatrix(target, list, image));
    }
    for (const list of holder.children) {
      if (list.name === 'app:TexCoordGen') {
        this.#addMatrix(target, list, image);
        this.#keepGenerator(list);
      }
      if (list.name !== 'app:TexCoordList') continue;
      // Version 3.0 names rings in elements, in the order of their coordinates; 2.0 in attributes.
      const rings = list.children.filter(({ name }) => name === 'app:ring');
      const all = list.children.filter(({ name }) => localName(name) === 'textureCoordinates');
      for (const [i, coordinates] of all.entries()) {
        const ring = coordinates.attributes.ring ?? rings[i]?.text;
        if (ring !== undefined) this.#addRing(keyOfReference(ring), image, coordinates.text);
      }
    }
  }

  #addRing(key: number, image: number, text: string): void {
    if (key === 0 || this.#rings.has(key)) return;
    const start = this.#uvCount;
    for (const token of text.split(/\s+/)) {
      if (token === '') continue;
      if (this.#uvCount === this.#uvs.length) this.#uvs = grown(this.#uvs);
      this.#uvs[this.#uvCount++] = Number(token);
    }
    if (3 * this.#entryCount === this.#entries.length) this.#entries = grown(this.#entries);
    this.#entries.set([image, start, this.#uvCount - start], 3 * this.#entryCount);
    this.#rings.set(key, this.#entryCount++);
  }

  #addGround(texture: XmlElement): void {
    const uri = textOf(texture, 'imageURI');
    if (uri === null) return;
    const image = this.#imageOf(uri);
    if (textOf(texture, 'isFront') === 'false') return;
    const point = texture.children.find(({ name }) => name === 'app:referencePoint')?.children[0];
    const inline = [textOf(texture, 'orientation'), point === undefined ? null : textOf(point, 'pos')];
    const numbers = inline.flatMap((text) => (text === null ? [] : numbersOf(text)));
    this.#lay(targetsOf(texture), {
      image,
      srsName: point?.attributes.srsName ?? null,
      by: {
        kind: 'ground',
        inline: numbers.length >= 6 ? numbers.slice(0, 6) : null,
        prefersWorldFile: !/^(?:false|0)$/.test(textOf(texture, 'preferWorldFile') ?? ''),
      },
    });
  }

  /** Does it at once, or when the generator has come. */
  #withGenerator(key: number, use: (generator: XmlElement) => void): void {
    const known = this.#generators.get(key);
    const waiting = this.#waiting.get(key);
    if (known !== undefined) use(known);
    else if (waiting === undefined) this.#waiting.set(key, [use]);
    else waiting.push(use);
  }

  #keepGenerator(generator: XmlElement): void {
    const id = generator.attributes['gml:id'];
    if (id === undefined) return;
    const key = keyOfReference(`#${id}`);
    this.#generators.set(key, generator);
    for (const use of this.#waiting.get(key) ?? []) use(generator);
    this.#waiting.delete(key);
  }

  #addMatrix(target: string, generator: XmlElement, image: number): void {
    const matrix = generator.children.find(({ name }) => name === 'app:worldToTexture');
    this.#lay([keyOfReference(target)], {
      image,
      srsName: matrix?.attributes.srsName ?? null,
      by: { kind: 'matrix', numbers: numbersOf(matrix?.text ?? '') },
    });
  }

  #lay(targets: readonly number[], laid: LaidImage): void {
    const number = this.laid.push(laid) - 1;
    for (const key of targets) if (key !== 0 && !this.#laidOn.has(key)) this.#laidOn.set(key, number);
  }

  #addColour(material: XmlElement): void {
    if (textOf(material, 'isFront') === 'false') return;
    const diffuse = numbersOf(textOf(material, 'diffuseColor') ?? '0.8 0.8 0.8');
    const transparency = Number(textOf(material, 'transparency') ?? 0);
    if (diffuse.length !== 3) return;
    const [red, green, blue] = diffuse.map(unit) as [number, number, number];
    const number = this.colours.push([red, green, blue, 1 - unit(transparency)]) - 1;
    for (const key of targetsOf(material)) if (!this.#colourOf.has(key)) this.#colourOf.set(key, number);
  }

  #imageOf(uri: string): number {
    const path = imagePath(this.#gmlPath, uri);
    let number = this.#imageNumbers.get(path);
    if (number === undefined) {
      number = this.images.push(path) - 1;
      this.#imageNumbers.set(path, number);
    }
    return number;
  }
}

/**
 * Where in the package an image is that a GML file refers to; blanks, backslashes and percent-encoding are put up with.
 */
function imagePath(gmlPath: string, uri: string): string {
  let reference = uri.trim().replaceAll('\\', '/');
  try {
    reference = decodeURIComponent(reference);
  } catch {
    // A lone % stands for itself.
  }
  return posix.normalize(posix.join(posix.dirname(gmlPath), reference));
}

/** Keys of the surfaces that a target names, by attribute or by text. */
function targetsOf(data: XmlElement): number[] {
  return data.children
    .filter((child) => child.name === 'app:target')
    .map((target) => keyOfReference(target.attributes.uri ?? target.text))
    .filter((key) => key !== 0);
}

function firstOf(map: ReadonlyMap<number, number>, keys: Iterable<number>): number | undefined {
  for (const key of keys) {
    const found = map.get(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(element: XmlElement, name: string): string | null {
  return element.children.find((child) => localName(child.name) === name)?.text.trim() || null;
}

function numbersOf(text: string): number[] {
  const numbers = text.trim().split(/\s+/).map(Number);
  return numbers.every(Number.isFinite) ? numbers : [];
}

function unit(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

function grown<T extends Float32Array | Uint32Array>(array: T): T {
  const larger =
    array instanceof Float32Array ? new Float32Array(2 * array.length) : new Uint32Array(2 * array.length);
  larger.set(array);
  return larger as T;
}

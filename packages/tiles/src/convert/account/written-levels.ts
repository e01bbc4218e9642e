/**
 * Which levels of detail a feature has geometry at, by the names of its properties: whether or not that geometry can be
 * read.
 */
import {
  isInstallation,
  isInterior,
  isStatedInside,
  localName,
  Remembered,
  type XmlElement,
} from '@citymodel/citygml';
import { Fate, NO_LOD, type PartAccountBuilder } from './part-account.ts';

/**
 * A property with geometry that states a level: `bldg:lod1Solid`, `urf:lod-1MultiSurface`, `uro:lod0anchorPoint`; not
 * `uro:lod1HeightType`.
 */
const LEVEL = /^lod(-?\d)(?!HeightType)[A-Za-z]/;
/** Where something meets the terrain, and where a relief holds: no shapes of their own. */
const ASIDE = /TerrainIntersection|^dem:extent$/;

/** The level at which the inside of a feature counts: that of CityGML 2.0, where 3.0 has it at all levels, too. */
export const INTERIOR_LOD = 4;

/** Type of a feature that is too large for its element to be looked at. */
export const LARGE_TYPE = 'large';

/** Terrain in a file of another type, of which no tiles are made: it is no building, and packages are of one type. */
export function isTerrainAmong(type: string, feature: XmlElement): boolean {
  return type !== 'dem' && feature.name.startsWith('dem:');
}

/** Notes a feature that was read, and what the file has of it. */
export function noteFeature(account: PartAccountBuilder, number: number, feature: XmlElement): void {
  account.feature(number, feature.name);
  account.attributes.read(feature);
  for (const level of writtenLevels(feature)) account.fate(number, level, Fate.there);
}

/** The level of detail, 0 to 4, that the name of a property states; null for none. `local`: without its prefix. */
export function writtenLevel(local: string): number | null {
  const level = LEVEL.exec(local)?.[1];
  return level !== undefined && /^[0-4]$/.test(level) ? Number(level) : null;
}

/** The level of detail that a relief, or a part of one, states (`dem:lod`); null where it is none of 0 to 4. */
export function statedLevel({ children }: XmlElement): number | null {
  const text = children.find(({ name }) => name === 'dem:lod')?.text.trim();
  return text !== undefined && /^[0-4]$/.test(text) ? Number(text) : null;
}

/** What the name of a property says of geometry in it. */
interface PropertyFacts {
  isPassedOver: boolean;
  isAside: boolean;
  /** What it holds lies inside. */
  isRoom: boolean;
  /** It says itself whether it does. */
  isInstallation: boolean;
  /** Undefined where it states none. */
  level: number | undefined;
  isGml: boolean;
}

const properties = new Remembered((name): PropertyFacts => {
  const level = LEVEL.exec(localName(name))?.[1];
  return {
    isPassedOver: name === 'gml:boundedBy' || name.startsWith('app:'),
    isAside: ASIDE.test(name),
    isRoom: isInterior(name),
    isInstallation: isInstallation(name),
    level: level === undefined ? undefined : /^[0-4]$/.test(level) ? Number(level) : NO_LOD,
    isGml: name.startsWith('gml:'),
  };
});

/** Levels 0 to 4, `NO_LOD` for geometry that states none of these, and for a feature without geometry. */
export function writtenLevels(feature: XmlElement): Set<number> {
  const levels = new Set<number>();
  const visit = (holder: XmlElement, isInside: boolean, outer: number | null): void => {
    const stated = holder.name.startsWith('dem:') ? (statedLevel(holder) ?? outer) : outer;
    for (const property of holder.children) {
      // Most are plain values.
      if (!holdsSomething(property)) continue;
      const facts = properties.of(property.name);
      const { isPassedOver, isAside, level, isGml } = facts;
      if (isPassedOver || (isAside && level === undefined)) continue;
      if (level === undefined) {
        if (property.children.length === 0) continue;
        if (isGml) levels.add(stated ?? NO_LOD);
        else {
          const isRoom = facts.isRoom || (facts.isInstallation && isStatedInside(property));
          visit(property, isInside || isRoom, stated);
        }
      } else if (!isAside) {
        levels.add(isInside && level !== 0 && level !== NO_LOD ? INTERIOR_LOD : level);
      }
    }
  };
  visit(feature, false, null);
  // Geometry without a level counts where there is no other: an outline beside it is said by the level.
  if (levels.size > 1) levels.delete(NO_LOD);
  if (levels.size === 0) levels.add(NO_LOD);
  return levels;
}

function holdsSomething({ children, attributes }: XmlElement): boolean {
  return children.length > 0 || attributes['xlink:href'] !== undefined;
}

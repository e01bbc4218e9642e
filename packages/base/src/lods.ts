/** Levels of detail (CityGML 2.0, section 6.2): the names of elements and of packages have one of them. */
export const LODS = [0, 1, 2, 3, 4] as const;

export type Lod = (typeof LODS)[number];

export const HIGHEST_LOD: Lod = LODS.at(-1)!;

/** One level as names have it: a part of regular expressions. */
export const LOD_DIGIT = `[${LODS.join('')}]`;

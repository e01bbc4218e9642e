/**
 * Versions of i-UR, the application schema of Japanese city models: where their namespaces are, and the version of the
 * product specification that came with each. A new version is one line here, and its facts in `../schema/facts`.
 */

export interface IurVersion {
  /** As the namespaces end: `3.1`. */
  version: string;
  /** Version of the standard product specification. */
  spec: string;
  /**
   * What the namespace of a module (`uro`, `urf`, `urg`, `urt`) begins with; module and version follow, with a slash
   * between.
   */
  namespace: string;
}

const GEOSPATIAL = 'https://www.geospatial.jp/iur/';

/** The oldest first. */
export const IUR_VERSIONS: readonly IurVersion[] = [
  {
    version: '1.4',
    spec: '1.0',
    namespace: 'http://www.kantei.go.jp/jp/singi/tiiki/toshisaisei/itoshisaisei/iur/',
  },
  {
    version: '1.5',
    spec: '1.0',
    namespace: 'https://www.chisou.go.jp/tiiki/toshisaisei/itoshisaisei/iur/',
  },
  { version: '2.0', spec: '2.0', namespace: GEOSPATIAL },
  { version: '3.0', spec: '3.0', namespace: GEOSPATIAL },
  { version: '3.1', spec: '4.0', namespace: GEOSPATIAL },
  { version: '3.2', spec: '5.0', namespace: GEOSPATIAL },
  { version: '4.0', spec: '6', namespace: GEOSPATIAL },
];

/**
 * A namespace without its scheme, in lower case: the address that a known version has, or any that is built like them.
 */
const ADDRESS = /^[a-z0-9.-]+\/(?:[^?#]*\/)?iur\/(ur[a-z])\/(\d+(?:\.\d+)*)$/;

/**
 * Module and version of a namespace of i-UR, given without scheme and slash at the end, in lower case; null for
 * another. A version or host that is not in the list is read too, so that data of tomorrow has the prefixes that it
 * should have.
 */
export function iurModule(address: string): { prefix: string; version: string } | null {
  const parts = ADDRESS.exec(address);
  return parts === null ? null : { prefix: parts[1]!, version: parts[2]! };
}

/**
 * Version of the product specification that came with a version of i-UR; null when that is not known. A version after
 * all that are known has the newest specification: it is read as such.
 */
export function specOfIur(version: string): string | null {
  const newest = IUR_VERSIONS.at(-1)!;
  if (Number.parseInt(version, 10) > Number.parseInt(newest.version, 10)) return newest.spec;
  return IUR_VERSIONS.find((entry) => entry.version === version)?.spec ?? null;
}

/**
 * An edition of the product specification, `4`, `4.1` or `6.0`, as packages are listed by: `4.0`, `4.1`, `6`. One
 * without a second number is its first; those that came without any, as the table has them, stay so.
 */
export function specEdition(text: string): string {
  const [major, ...minors] = text.split('.');
  if (minors.some((minor) => Number(minor) !== 0)) return text;
  if (IUR_VERSIONS.some(({ spec }) => spec === major)) return major!;
  return minors.length === 0 ? `${major}.0` : text;
}

/** Where a page goes on, as text in an address. */
import type { FeaturePlace } from '../features/files-in-order.ts';

/** Longest token, characters: paths in packages are shorter. */
const MAX_LENGTH = 2_000;

export function tokenOf({ packageNo, packageId, path, index }: FeaturePlace): string {
  return Buffer.from(JSON.stringify([packageNo, packageId, path, index])).toString('base64url');
}

/** Throws a RangeError for what no page gave. */
export function placeOfToken(token: string): FeaturePlace {
  if (token.length <= MAX_LENGTH && /^[\w-]+$/.test(token)) {
    const place = readPlace(Buffer.from(token, 'base64url').toString());
    if (place !== null) return place;
  }
  throw new RangeError('after has no place that a page gave; follow the link `next`, or begin without it.');
}

function readPlace(text: string): FeaturePlace | null {
  try {
    const [packageNo, packageId, path, index] = JSON.parse(text) as unknown[];
    if (
      Number.isSafeInteger(packageNo) &&
      typeof packageId === 'string' &&
      /^[0-9a-f]{8}$/.test(packageId) &&
      typeof path === 'string' &&
      Number.isSafeInteger(index) &&
      (index as number) >= -1
    )
      return { packageNo: packageNo as number, packageId, path, index: index as number };
  } catch {
    // Whatever else it is, it is no place.
  }
  return null;
}

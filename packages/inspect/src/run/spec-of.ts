/** Which specification a file follows. */
import type { NamespaceContext } from '@citymodel/citygml';
import type { Spec } from '../check.ts';

/** The specification that a file follows, by its version of CityGML: 6 from 3.0 on. */
export function specOf(context: NamespaceContext): Spec {
  return Number.parseInt(context.versionOf('core') ?? '', 10) >= 3 ? 6 : 4;
}

/** Which specification a file follows. */
import type { NamespaceContext } from '@citymodel/citygml';
import type { Spec } from '../check.ts';

/** The specification that a file follows, by its version of CityGML: 6 from 3.0 on. */
export function specOf(context: NamespaceContext): Spec {
  return Number.parseInt(context.versionOf('core') ?? '', 10) >= 3 ? 6 : 4;
}

/** Says, in a full sentence, that a file is of another version than the rules of a specification; null where it is not. */
export function otherVersion(context: NamespaceContext, spec: Spec): string | null {
  const version = context.versionOf('core');
  if (version === null || specOf(context) === spec) return null;
  const rules = `${spec}, which are for CityGML ${spec === 6 ? '3.0' : '2.0'}`;
  return `The file has CityGML ${version}, and was compared with the rules of specification ${rules}.`;
}

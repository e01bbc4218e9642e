/** Parts of a link that only a model can tell: colours that its features have, conditions that can be understood. */
import { AttributeFilter } from 'citymodel-server/shared';
import { useEffect } from 'preact/hooks';
import { leaveOut, usePart } from '../core/store.ts';
import { NAMED, propertiesFor } from './colouring.ts';

/** Removes from the address what cannot be shown, and says so. */
export function useParts(names: ReadonlySet<string>, isComing: boolean): void {
  const colour = usePart((s) => s.colour);
  const where = usePart((s) => s.where);
  useEffect(() => {
    if (where !== '' && !isUnderstood(where)) leaveOut(`where=${where}`, { where: '' });
  }, [where]);
  useEffect(() => {
    // What has not come yet may have the property.
    if (isComing || names.size === 0 || isColour(colour, names)) return;
    leaveOut(`colour=${colour}`, { colour: '' });
  }, [colour, names, isComing]);
}

/** True for conditions in the grammar of the interface's `where`. */
export function isUnderstood(where: string): boolean {
  try {
    new AttributeFilter(where);
    return true;
  } catch {
    return false;
  }
}

/** True for what features with these properties can be coloured by. LODs are known of datasets, too. */
export function isColour(colour: string, names: ReadonlySet<string>): boolean {
  return colour === '' || colour === NAMED.lod || propertiesFor(colour, names).length > 0;
}

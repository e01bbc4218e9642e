/** The code that puts the view, as it is now, into a page of somebody else. */
import { addressOf } from '../core/store.ts';
import { frameOf } from './frame-code.ts';

/** @param title what the frame shows, for those who hear it */
export function embedCode(title: string): string {
  return frameOf(new URL(addressOf({ embed: true, view: '3d' }), location.href).href, title);
}

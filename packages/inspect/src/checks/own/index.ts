/** Our own rules: users are hurt where these are broken, and the official ones are silent. */
import type { Check } from '../../check.ts';
import { FLOOD } from './flood.ts';
import { HEIGHT } from './height.ts';
import { PLACE } from './place.ts';
import { TEXTURE } from './texture.ts';

export const OWN_CHECKS: readonly Check[] = [PLACE, HEIGHT, TEXTURE, FLOOD];

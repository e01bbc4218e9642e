import { quoted } from '@citymodel/base';
import { ServiceError } from '../../base/errors.ts';

/** A spec in a message, cut to a readable length. */
export function quoteSpec(text: string): string {
  return quoted(text, 100);
}

/** ServiceError 400 for a malformed spec; `rule` continues the sentence that begins with the spec. */
export function invalidSpec(text: string, rule: string): ServiceError {
  return new ServiceError(400, 'invalid spec', { reason: `${quoteSpec(text)} ${rule}` });
}

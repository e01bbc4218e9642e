/** What operators and their tools ask. */
import Type from 'typebox';
import { object, record, text } from './common.ts';

export const Live = object({ status: Type.Literal('ok'), version: text('Version of the program.') });

export const Ready = object({
  status: Type.Literal('ok'),
  checks: record(Type.String(), 'For each part `ok`, or why it does not answer.'),
});

export const NotReady = object({
  error: Type.String(),
  reason: Type.String(),
  checks: record(Type.String()),
});

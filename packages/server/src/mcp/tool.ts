/** A tool of the Model Context Protocol (MCP): a name, what it is for, its parameters, and what it does. */
import { type ZodRawShape, z } from 'zod';
import type { Ask } from './ask.ts';

export interface Tool<Shape extends ZodRawShape = ZodRawShape> {
  name: string;
  title: string;
  description: string;
  parameters: Shape;
  /** The result, a JSON object. Throws a ToolError with a sentence that says what to try. */
  run(parameters: z.infer<z.ZodObject<Shape>>, context: ToolContext): Promise<Record<string, unknown>>;
}

export interface ToolContext {
  ask: Ask;
  /** `PUBLIC_URL`. */
  publicUrl: string;
  signal: AbortSignal;
}

/** Keeps the types of the parameters for `run`. */
export function tool<Shape extends ZodRawShape>(definition: Tool<Shape>): Tool {
  return definition as unknown as Tool;
}

/** A list of texts, each of a bounded length. */
export function texts(description: string, maxCount: number): z.ZodOptional<z.ZodArray<z.ZodString>> {
  return z.array(z.string().max(200)).max(maxCount).optional().describe(description);
}

/** Words of a search text; all have to be found. */
export function tokensOf(text: string | undefined): string[] | undefined {
  const tokens = text?.split(/[\s\u3000]+/).filter((token) => token !== '');
  return tokens === undefined || tokens.length === 0 ? undefined : tokens;
}

/** `?a=1&b=2`; lists with commas, undefined values left out. */
export function queryOf(values: Record<string, string | readonly string[] | boolean | undefined>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    const text = Array.isArray(value)
      ? value.map(encodeURIComponent).join(',')
      : encodeURIComponent(String(value));
    pairs.push(`${name}=${text}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/**
 * The tools for AI assistants by the Model Context Protocol: stateless, each call one request with one JSON answer.
 * Every tool asks the interface's own operations, so that its limits and errors hold here too.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { VERSION } from '../base/version.ts';
import { type Ask, ToolError } from './ask.ts';
import { CATALOGUE_TOOLS } from './catalogue-tools.ts';
import { CITYGML_TOOLS } from './citygml-tools.ts';
import type { Tool, ToolContext } from './tool.ts';

/** Every tool, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [...CATALOGUE_TOOLS, ...CITYGML_TOOLS];

const INSTRUCTIONS =
  'Catalogue and data of 3D city models of Japan. Start with plateau_search_areas for codes, then ' +
  'plateau_search_datasets for tiles or plateau_get_citygml_files for CityGML. Results are cut; metadata.has_more ' +
  'says so.';

export interface McpOptions {
  ask: Ask;
  publicUrl: string;
  /** A fault that is no answer of an operation. */
  onError(error: unknown): void;
}

/** Answers one message that a client sent by POST. `body` is the parsed JSON and no batch. */
export async function answerMcp(
  headers: Headers,
  body: unknown,
  signal: AbortSignal,
  options: McpOptions,
): Promise<Response> {
  const server = createServer({ ask: options.ask, publicUrl: options.publicUrl, signal }, options.onError);
  // No session: whatever server gets the next message can answer it.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  try {
    const request = new Request('http://inner.invalid/mcp', { method: 'POST', headers });
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function createServer(context: ToolContext, onError: (error: unknown) => void): McpServer {
  const server = new McpServer({ name: 'citymodel', version: VERSION }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.parameters,
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      async (parameters: Record<string, unknown>) => {
        try {
          checkTexts(parameters);
          const result = await tool.run(parameters, context);
          return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
        } catch (error) {
          // Nobody reads the answer to a caller that went away; that is no fault.
          if (!(error instanceof ToolError) && !context.signal.aborted) onError(error);
          const text = error instanceof ToolError ? error.message : 'The tool failed. Try again later.';
          return { content: [{ type: 'text', text }], isError: true };
        }
      },
    );
  }
  return server;
}

/** Throws a ToolError for half a character (a lone surrogate), which no URL can hold. */
function checkTexts(value: unknown): void {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw new ToolError(
      'A text of the parameters has half a character (a lone surrogate). Send whole characters.',
    );
  }
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) checkTexts(inner);
}

/** The tools as a server of the protocol: what the vault says, a refusal too, is an answer. */
import { VERSION } from '@countersign/api/operations/service.js';
import type { CallResult } from '@countersign/client/call-result.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { toolsOf } from './vault-tools.js';

export function createToolServer(client: CountersignClient): McpServer {
  const server = new McpServer({ name: 'countersign', version: VERSION });
  for (const { name, description, input, isReadOnly, run } of toolsOf(client)) {
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: !isReadOnly };
    server.registerTool(name, { description, inputSchema: input, annotations }, async (given) =>
      answerOf(await run(given)),
    );
  }
  return server;
}

function answerOf(result: CallResult<unknown>): CallToolResult {
  const said = result.ok ? result.value : { error: result.error };
  return {
    content: [{ type: 'text', text: JSON.stringify(said, undefined, 1) }],
    isError: !result.ok,
  };
}

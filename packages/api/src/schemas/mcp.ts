import { z } from 'zod'

export const mcpConfigSchema = z
  .object({
    servers: z.array(
      z.object({
        name: z.string(),
        url: z.string(),
        command: z.array(z.string()).describe('Serves MCP over stdio with the rights of the operator'),
      }),
    ),
    snippets: z.array(
      z.object({
        title: z.string(),
        runtime: z.string().nullable().describe('null for any client'),
        where: z.string(),
        language: z.enum(['json', 'toml', 'yaml', 'shell']),
        text: z.string().describe('Contains no secret'),
      }),
    ),
  })
  .meta({ id: 'McpConfig' })

import { z } from 'zod'

export const mcpConfigSchema = z
  .object({
    servers: z.array(
      z.object({
        name: z.string(),
        url: z.string(),
        command: z.array(z.string()).describe('Speaks MCP over stdio with the rights of the operator'),
      }),
    ),
    snippets: z.array(
      z.object({
        title: z.string(),
        runtime: z.string().nullable().describe('null when it is for any client'),
        where: z.string(),
        language: z.enum(['json', 'toml', 'yaml', 'shell']),
        text: z.string().describe('Holds no secret'),
      }),
    ),
  })
  .meta({ id: 'McpConfig' })

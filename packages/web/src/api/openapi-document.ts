import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

export function useOpenApiDocument() {
  return useQuery({ queryKey: ['openapi'], queryFn: ({ signal }) => client.getOpenApi({ signal }) })
}

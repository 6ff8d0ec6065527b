import type { Refusal } from '@voelgoed/core/refusal'

export type RefusalCode = Refusal['kind']

export function createClient(options: { baseUrl: string }) {
  return { baseUrl: options.baseUrl }
}

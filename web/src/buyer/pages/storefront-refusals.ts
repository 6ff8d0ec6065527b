import { COMMON, type RefusalTable } from '../../kit/refusals/table.ts'

/** The list of events is all there is: without it there is no page. */
export const storefrontRefusals = {
  ...COMMON,
  invalid_request: ['page', 'reload'],
  unauthorized: ['page', 'reload'],
  forbidden: ['page', 'reload'],
  second_factor_needed: ['page', 'console'],
  event_not_found: ['page', 'reload'],
} as const satisfies RefusalTable

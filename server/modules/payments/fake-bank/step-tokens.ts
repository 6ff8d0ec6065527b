import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUuid, type OrganizationId } from '@voelgoed/core/ids'
import type { SimulatedIntent } from '../tables/simulated-payments.ts'

/**
 * Addresses of the page of the second step, and of what its form sends. The token in the address opens one
 * intent and can't be guessed. The form's own token is bound to this attempt to pay: a page that was left
 * open does not answer a later one.
 */
export class StepTokens {
  readonly #secret: Buffer

  constructor(secret: Buffer) {
    this.#secret = secret
  }

  make(organizationId: string, intentId: string): string {
    return `${organizationId}.${intentId}.${this.#sign('step', organizationId, intentId)}`
  }

  read(token: string): { organizationId: OrganizationId; intentId: string } | null {
    const [organizationId, intentId, signature, ...rest] = token.split('.')
    if (!organizationId || !intentId || !signature || rest.length > 0) return null
    if (!isUuid(organizationId) || !isUuid(intentId)) return null
    if (!areEqual(signature, this.#sign('step', organizationId, intentId))) return null
    return { organizationId: organizationId as OrganizationId, intentId }
  }

  formToken({ id, dueAt }: Pick<SimulatedIntent, 'id' | 'dueAt'>): string {
    return this.#sign('form', id, dueAt?.toISOString() ?? '')
  }

  isFormToken(given: string, intent: Pick<SimulatedIntent, 'id' | 'dueAt'>): boolean {
    return areEqual(given, this.formToken(intent))
  }

  #sign(...parts: readonly string[]): string {
    return createHmac('sha256', this.#secret).update(parts.join('\n')).digest('base64url')
  }
}

function areEqual(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

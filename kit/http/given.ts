import { randomUUID } from 'node:crypto'
import { isStaff } from '@voelgoed/core/access'
import type { PersonActing, Source } from '@voelgoed/core/event/command'
import type { CommandId } from '@voelgoed/core/ids'
import type { AuditActor } from '../audit/audit-log.ts'
import type { AllowedSite } from './allowed-origins.ts'
import type { SignedIn } from './principals.ts'

/**
 * Returns who gives a command, and from where. The source follows from the credential and from the site whose
 * page a browser names, never from what the request says.
 */
export function given(call: {
  principal: SignedIn
  addressKey: string
  by: AuditActor
  site: AllowedSite | null
}): {
  commandId: CommandId
  actor: PersonActing
} {
  const { user, isApiKey } = call.principal
  const { by } = call
  return {
    commandId: randomUUID() as CommandId,
    actor: {
      person: {
        userId: user.userId,
        role: user.role,
        membershipTier: user.membershipTier,
        membershipStatus: user.membershipStatus,
      },
      // A hold of staff does not count against the buyers behind the same address.
      ip: isStaff(user.role) ? null : call.addressKey,
      source: isApiKey ? 'api' : sourceOf(user.role, call.site !== null),
      from: { address: by.ip, userAgent: by.userAgent },
    },
  }
}

function sourceOf(role: SignedIn['user']['role'], isOtherSite: boolean): Source {
  if (role === 'customer') return isOtherSite ? 'embed' : 'web'
  return role === 'scanner' ? 'scanner' : 'admin'
}

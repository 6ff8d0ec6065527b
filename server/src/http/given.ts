import { randomUUID } from 'node:crypto'
import { isStaff } from '@voelgoed/core/access'
import type { PersonActing, Source } from '@voelgoed/core/event/command'
import type { CommandId } from '@voelgoed/core/ids'
import type { SignedIn } from '../accounts/principals.ts'
import type { AuditActor } from '../postgres/tables/audit-log.ts'

/** Who gives a command, and from where. The source follows from the credential, never from the request. */
export function given(call: { principal: SignedIn; addressKey: string; by: AuditActor }): {
  commandId: CommandId
  actor: PersonActing
} {
  const { user } = call.principal
  const { by } = call
  const source: Source = user.role === 'customer' ? 'web' : user.role === 'scanner' ? 'scanner' : 'admin'
  return {
    commandId: randomUUID() as CommandId,
    actor: {
      person: {
        userId: user.userId,
        role: user.role,
        membershipTier: user.membershipTier,
        membershipStatus: user.membershipStatus,
      },
      // What staff hold does not count against the buyers behind the same address.
      ip: isStaff(user.role) ? null : call.addressKey,
      source,
      from: { address: by.ip, userAgent: by.userAgent },
    },
  }
}

import type { Principals } from '@voelgoed/kit/http/principals'
import type { Kit, Module } from '../module.ts'
import { serveApiKeys } from './routes/api-keys.ts'
import { type MemberNeeds, serveMembers } from './routes/members.ts'
import { type SendsMails, serveOrganization } from './routes/organization.ts'
import { servePlatform } from './routes/platform.ts'
import { serveSellers } from './routes/sellers.ts'

interface Needs extends MemberNeeds {
  readonly principals: Pick<Principals, 'forgetOrganization' | 'forgetUser'>
  readonly mails: SendsMails
}

/**
 * Organizations with their settings, their users and API keys. The platform makes organizations; staff import
 * memberships from a spreadsheet.
 */
export function openPeople(kit: Kit, needs: Needs): Module {
  const { principals, mails } = needs
  return {
    name: 'people',
    routes(router) {
      servePlatform(router, kit, principals)
      serveMembers(router, kit, needs)
      serveApiKeys(router, kit, principals)
      serveOrganization(router, kit, mails)
      serveSellers(router, kit)
    },
  }
}

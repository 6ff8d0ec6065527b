import type { Kit, Module } from '../module.ts'
import { type PersonalDataNeeds, servePersonalData } from './routes.ts'

/**
 * People read and change what is theirs, take all of it away as a file, and have it erased: by themselves, or
 * by an admin whom they ask.
 */
export function openPersonalData(kit: Kit, needs: PersonalDataNeeds): Module {
  return { name: 'personal-data', routes: router => servePersonalData(router, kit, needs) }
}

import type { AccessMode } from '@voelgoed/core/layout/model'
import type { Format } from '../../../kit/words/format.ts'
import { POLICY_SHAPES } from './policy-fields.ts'
import type { RuleWords } from './rules-en.ts'

export function rulesAf(format: Format): RuleWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const modes = {
    public: 'Enigeen',
    membership_tier: 'Lede',
    role_based: 'Volgens rol',
    whitelist: 'Volgens witlys',
  }
  const units = { minutes: 'min', seats: 'sitplekke', places: 'plekke', percent: '% vol', parts: 'dele' }
  return {
    policy: {
      title: 'Besprekingsreëls',
      about: 'Waarmee alle geleenthede begin. ’n Geleentheid kan ander reëls hê, tensy ’n reël gesluit is.',
      groups: {
        holding: 'Plekke vashou',
        choosing: 'Plekke kies',
        accessibility: 'Toeganklikheid',
        halls: 'Watter plekke verkoop mag word',
      },
      fields: {
        default_hold_ttl_seconds: [
          'Vashoutyd',
          'Hoe lank plekke in ’n mandjie bly voor hulle weer te koop is. Betaling voeg een keer tyd by.',
        ],
        max_seats_per_booking: [
          'Plekke per bespreking',
          'Die meeste plekke wat ’n koper gelyk in ’n geleentheid het.',
        ],
        max_holds_per_user: [
          'Vasgehoue plekke per persoon',
          'Dieselfde telling, vir organisasies wat ’n ander getal wil hê.',
        ],
        max_holds_per_ip: [
          'Vasgehoue plekke per adres',
          'Van alle kopers agter een internetadres saam. ’n Skool is een adres.',
        ],
        holds_per_window: [
          'Nuwe vasgehoue plekke per persoon',
          'Hoeveel plekke een persoon in die tyd hieronder nuut mag neem. Dit rem bots.',
        ],
        hold_window_seconds: ['… binne', 'Die tyd waarin nuwe vasgehoue plekke getel word.'],
        release_on_declined_payment: [
          'Stel plekke vry as ’n betaling afgekeur word',
          'Aan: plekke is dadelik weer te koop. Af: die koper probeer ’n ander kaart terwyl die mandjie duur.',
        ],
        orphan_avoidance_strict: [
          'Laat geen enkelplekke oor nie',
          'Weier ’n keuse wat een plek alleen laat, en bied ander aan.',
        ],
        group_adjacency_strict: [
          'Groepe sit saam',
          'Die beste plekke is langs mekaar, of die antwoord is nee.',
        ],
        max_group_split: [
          'Dele van ’n groep',
          'In hoeveel dele ’n groep verdeel mag word wat nie saam pas nie.',
        ],
        prefer_clustering_over_selection: [
          'Eers soek, dan kaart',
          'Die blad begin met die soektog na die beste plekke.',
        ],
        enforce_accessibility_rules: [
          'Hou metgeselsitplekke',
          'Die plek langs ’n rolstoelplek word vir sy koper gehou.',
        ],
        companion_release_occupancy_threshold: [
          'Stel metgeselsitplekke vry by',
          'Sodra ’n sone so vol is, is sy metgeselsitplekke vir enigeen, en bly so.',
        ],
        max_wheelchair_seats_per_booking: ['Rolstoelplekke per bespreking', 'Keer dat een koper almal neem.'],
        accessibility_audit_enabled: [
          'Skryf toeganklike besprekings in die oudit',
          'Elke keer dat ’n rolstoelplek vasgehou word, word dit aangeteken.',
        ],
        allow_reserved_seating: ['Genommerde sitplekke', 'Geleenthede mag sones met stoele verkoop.'],
        allow_ga_seating: ['Plekke sonder stoel', 'Geleenthede mag staansones verkoop.'],
        allow_hybrid_ga_reserved: [
          'Albei in een geleentheid',
          '’n Geleentheid mag stoele en staanplek saam verkoop.',
        ],
        allow_vip_zones: ['BBP-sones', 'Geleenthede mag sones verkoop wat as BBP gemerk is.'],
        allowed_access_modes: [
          'Vir wie ’n sone mag wees',
          'Geleenthede mag sones van hierdie soorte verkoop.',
        ],
      },
      effects: {
        default_hold_ttl_seconds: 'Net nuwe vasgehoue plekke. Wat reeds loop, behou sy klok.',
        max_seats_per_booking: 'Van die volgende vasgehoue plek af. Die blad sê vir kopers hoeveel.',
        max_holds_per_user: 'Van die volgende vasgehoue plek af.',
        max_holds_per_ip: 'Van die volgende vasgehoue plek af.',
        holds_per_window: 'Van die volgende vasgehoue plek af.',
        hold_window_seconds: 'Van die volgende vasgehoue plek af.',
        release_on_declined_payment: 'Vir betalings wat van nou af afgekeur word.',
        orphan_avoidance_strict:
          'By die volgende keuse en by betaling. Die kaartjieskantoor mag dit ignoreer.',
        group_adjacency_strict: 'In die volgende soektog.',
        max_group_split: 'In die volgende soektog.',
        prefer_clustering_over_selection: 'Wanneer die blad weer oopgemaak word.',
        enforce_accessibility_rules: 'Van die volgende vasgehoue plek af.',
        companion_release_occupancy_threshold: 'Wat vrygestel is, bly vry.',
        max_wheelchair_seats_per_booking: 'Van die volgende vasgehoue plek af.',
        accessibility_audit_enabled: 'Kopers merk niks nie.',
        allow_reserved_seating:
          'Word beoordeel wanneer ’n geleentheid gepubliseer word of sy uitleg verander.',
        allow_ga_seating: 'Word beoordeel wanneer ’n geleentheid gepubliseer word of sy uitleg verander.',
        allow_hybrid_ga_reserved:
          'Word beoordeel wanneer ’n geleentheid gepubliseer word of sy uitleg verander.',
        allow_vip_zones: 'Word beoordeel wanneer ’n geleentheid gepubliseer word of sy uitleg verander.',
        allowed_access_modes: 'Word beoordeel wanneer ’n geleentheid gepubliseer word of sy uitleg verander.',
      },
      modes,
      units,
      noLimit: 'geen grens',
      value: (field, value) => {
        const shape = POLICY_SHAPES[field]
        if (value === null) return 'geen grens'
        if (typeof value === 'boolean') return value ? 'aan' : 'af'
        if (Array.isArray(value)) return value.map(mode => modes[mode as AccessMode]).join(', ') || 'geen'
        if (shape.kind !== 'number') return ''
        const number = shape.inMinutes ? Math.round((value as number) / 0.6) / 100 : (value as number)
        return Number.isNaN(number) ? '…' : `${n(number)} ${units[shape.unit]}`
      },
      organization: 'Organisasie',
      thisEvent: 'Hierdie geleentheid',
      was: value => `organisasie: ${value}`,
      reset: 'Stel terug',
      locked: 'Gesluit deur ’n administrateur',
      lockedBy: (who, when) => `Gesluit deur ${who ?? '’n administrateur'}, ${when}`,
      sleeps: value => `Die geleentheid se eie waarde, ${value}, geld weer wanneer die slot verwyder word`,
      lockedNote: count =>
        `${many(count, 'reël is', 'reëls is')} deur ’n administrateur van die organisasie vir alle geleenthede gesluit.`,
      toOrganization: 'Besprekingsreëls van die organisasie',
      lockIt: 'Gesluit vir geleenthede',
      lockOf: name => `slot van “${name}”`,
      usual: value => `gewoonlik: ${value}`,
      aboutLocks:
        'Administrateurs sluit ’n reël, en dan kan net hulle dit verander. ’n Geleentheid wat vantevore anders gesê het, volg die organisasie solank die slot daar is.',
      changes: 'Wat vir kopers verander',
      noChanges: 'Nog niks nie. Verander ’n reël om te sien wat dit doen.',
      save: 'Stoor reëls',
      over: 'Die geleentheid is verby: sy reëls bly soos hulle is.',
      readOnly: 'Jou rol mag hierdie reëls sien, maar nie verander nie.',
    },
    days: {
      title: 'Dae',
      about: zone => `Volgens die lokaal se horlosies: ${zone.replaceAll('_', ' ')}`,
      add: 'Dag',
      none: 'Een dag',
      noneNote: 'Die geleentheid is op die dag waarop dit begin. Voeg dae by vir ’n fees of ’n reeks.',
      date: 'Datum',
      name: 'Naam',
      starts: 'Begin',
      ends: 'Eindig',
      optional: 'opsioneel',
      twice: 'Hierdie datum is twee keer in die lys.',
      backwards: 'Dit moet eindig nadat dit begin.',
      remove: date => `Verwyder ${date}`,
      night:
        '’n Dag sonder einde duur tot vyfuur die oggend: wie eenuur in die nag kom, gaan met dié dag se kaartjie in.',
      save: 'Stoor dae',
      over: 'Die geleentheid is verby: sy dae bly soos hulle is.',
      readOnly: 'Jou rol mag dae sien, maar nie verander nie.',
      admission: 'By die hek',
      admissionNote: 'Op watter dae, en hoe dikwels, kaartjies van ’n kategorie inlaat',
      noCategories: 'Daar is nog geen pryskategorie nie.',
      daysOf: category => `Dae van ${category}`,
      allDays: 'Elke dag',
      entries: 'Keer per dag',
      entriesOf: category => `Keer per dag, ${category}`,
      reentry: 'Uit en weer in',
      saveAdmission: 'Stoor',
    },
    whitelist: {
      about: 'Mense daarop mag gaste in lede se sones wees, en in sones met ’n witlys bespreek.',
      email: 'E-posadres',
      note: 'Nota',
      optional: 'opsioneel',
      add: 'Voeg by',
      paste: 'Plak ’n lys…',
      pasteTitle: 'Voeg baie mense by',
      pasteNote: most =>
        `Een persoon per reël: die adres, dan ’n nota as jy wil. ’n Gekopieerde sigblad werk ook. Hoogstens ${n(most)} reëls; almal of niks nie.`,
      csv: 'Reëls',
      addAll: 'Voeg almal by',
      faults: count => `${many(count, 'reël is', 'reëls is')} nie reg nie, en niks is bygevoeg nie`,
      line: line => `Reël ${n(line)}`,
      report: (added, known, total) =>
        `${many(added, 'persoon is', 'mense is')} bygevoeg, ${n(known)} was reeds daar. Nou ${n(total)} op die lys.`,
      removed: (email, total) => `${email} is verwyder. Nou ${n(total)} op die lys.`,
      search: 'Adres of nota',
      export: 'CSV',
      added: 'Bygevoeg',
      remove: 'Verwyder',
      none: 'Die lys is leeg',
      noneNote: 'Voeg mense een vir een by, of plak ’n lys.',
      noneMatch: 'Geen adres en geen nota bevat dit nie.',
    },
  }
}

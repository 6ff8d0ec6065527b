import type { Problem } from '@voelgoed/client'
import { checkoutAf, orderAf, payAf } from './checkout-af.ts'
import type { Words } from './en.ts'
import { clockFace, type Format, hasSeveral } from './format.ts'
import { ofStaff } from './staff-refusals.ts'

const count = (value: unknown) => (typeof value === 'number' ? value : 0)
const modeOf = (required: unknown) => (required as { readonly mode?: string } | undefined)?.mode

export function af(format: Format): Words {
  const n = format.number
  const seats = (many: number) => `${n(many)} ${many === 1 ? 'sitplek' : 'sitplekke'}`
  const places = (many: number) => `${n(many)} ${many === 1 ? 'plek' : 'plekke'}`
  const duration = (seconds: number) => {
    if (seconds < 90) return `${n(seconds)} ${seconds === 1 ? 'sekonde' : 'sekondes'}`
    if (seconds < 5400) return `${n(Math.round(seconds / 60))} minute`
    return `${n(Math.round(seconds / 3600))} uur`
  }
  const withWait = (without: string, sentence: (wait: string) => string, { retry_after }: Problem) =>
    count(retry_after) > 0 ? sentence(duration(count(retry_after))) : without
  return {
    refusals: {
      ...ofStaff(() => 'Dit is nie nou moontlik nie. Laai die bladsy weer.'),
      invalid_request: () =>
        'Dit het nie reg deurgekom nie. Kyk na wat jy ingevul het, of laai die bladsy weer.',
      event_not_available: () => 'Hierdie geleentheid is nie nou te koop nie. Soek ’n ander datum.',
      event_sales_closed: () =>
        'Die verkope vir hierdie geleentheid is nie nou oop nie. Kyk bo-aan die bladsy.',
      unauthorized: () => 'Jy is nie meer aangemeld nie. Herlaai die bladsy, en meld weer aan.',
      forbidden: () => 'Jou rekening mag dit nie doen nie. Meld met ’n ander een aan.',
      second_factor_required: () => 'Tik ook die kode van jou stawingstoep, of ’n herstelkode.',
      second_factor_wrong: () =>
        'Hierdie kode is nie reg nie, of is reeds gebruik. Wag vir die volgende een.',
      second_factor_needed: () =>
        'Jou organisasie vra ’n tweede faktor van sy personeel. Stel dit in die konsole op.',
      password_sign_in_off: () =>
        'Personeel van hierdie organisasie kan nie met ’n wagwoord aanmeld nie. Gebruik die knoppie van sy identiteitsverskaffer.',
      identity_provider_refused: () =>
        'Jou identiteitsverskaffer het jou nie ingelaat nie. Begin weer, of vra ’n administrateur.',
      identity_provider_unavailable: () =>
        'Die identiteitsverskaffer van jou organisasie gee geen bruikbare antwoord nie. Probeer netnou weer.',
      account_disabled: () => 'Hierdie rekening is gedeaktiveer. Vra die organiseerder waarom.',
      organization_suspended: () =>
        'Die platform het die verkope van hierdie organiseerder onderbreek. Kaartjies wat jy het, bly geldig.',
      zone_access_denied: ({ required }) =>
        modeOf(required) === 'whitelist'
          ? 'Hierdie plekke is vir mense wat die organiseerder genooi het. Meld met die adres aan wat genooi is, of kies ’n ander afdeling.'
          : 'Hierdie plekke is vir lede. Meld met ’n lid se rekening aan, of kies ’n ander afdeling.',
      not_found: () => 'Hier is niks nie. Gaan terug na die lys van geleenthede.',
      organization_not_found: () =>
        'Daar is geen organiseerder met hierdie kort naam nie. Kyk weer na die skakel.',
      user_not_found: () => 'Hierdie rekening bestaan nie meer nie. Meld met ’n ander een aan.',
      event_not_found: () =>
        'Hierdie geleentheid bestaan nie, of nie meer nie. Gaan terug na die lys van geleenthede.',
      zone_not_found: () => 'Hierdie afdeling hoort nie meer by die geleentheid nie. Laai die bladsy weer.',
      seat_not_found: () => 'Hierdie sitplek hoort nie meer by die geleentheid nie. Laai die bladsy weer.',
      hold_not_found: () => 'Hierdie sitplekke word nie meer vir jou gehou nie. Kies weer.',
      already_exists: () => 'Daar is reeds ’n rekening met hierdie e-\u2060posadres. Meld eerder aan.',
      seat_held_by_another_user: problem =>
        `Iemand was ’n oomblik vinniger. Die sitplek is dalk oor ${duration(count(problem.expires_in))} weer vry.`,
      seat_not_available: () => 'Hierdie sitplek is weg. Kies ’n ander een.',
      zone_not_sold: () => 'Hierdie afdeling is nie vir hierdie geleentheid te koop nie. Kies ’n ander een.',
      zone_at_capacity: problem =>
        count(problem.available) > 0
          ? `Hier is net ${places(count(problem.available))} oor. Vra minder.`
          : 'Hier is niks oor nie. Kies ’n ander afdeling.',
      invalid_transition: () => 'Dit is nie nou moontlik nie. Laai die bladsy weer.',
      idempotency_key_in_use: () => 'Jou versoek is nog op pad. Wag ’n oomblik.',
      hold_in_payment: () =>
        'Daar word nou vir hierdie sitplekke betaal. Voltooi of kanselleer eers die betaling.',
      carts_end_too_far_apart: () =>
        'Die sitplekke wat jy as gas gekies het, kan nie by dié van jou rekening kom nie. Bespreek eers een van die twee.',
      ticket_not_found: () => 'Hierdie kaartjie bestaan nie, of dit is nie joune nie.',
      order_not_found: () =>
        'Ons kon nie hierdie bestelling vind nie. Kyk weer na die nommer, of maak die skakel in die e-\u2060pos oop.',
      hold_sold: () => 'Hierdie plekke is reeds verkoop. Soek hul bestelling, of kies ander plekke.',
      ticket_void: () => 'Hierdie kaartjie is reeds terugbetaal of geskuif. Laai die bestelling weer.',
      nothing_to_pay_for: () => 'Jy het geen sitplekke om voor te betaal nie. Kies eers.',
      not_priced: () =>
        'Vir sommige van hierdie sitplekke kan nie hier betaal word nie. Vra die organiseerder.',
      no_gateway: () =>
        'Hierdie blad kan nie betalings ontvang nie. Koop jou kaartjies op die organiseerder se eie webwerf, of vra die organiseerder.',
      checkout_closed: ({ current_status }) =>
        current_status === 'paid'
          ? 'Jou betaling het intussen deurgegaan. Die kaartjies is joune.'
          : 'Hierdie betaling is verby. Kies weer jou sitplekke.',
      payment_undecided: () =>
        'Die bank het jou betaling, en het nog nie besluit nie. Wag totdat hy besluit het.',
      total_changed: () =>
        'Die prys is anders as wat jy gesien het. Geen geld is van jou geneem nie. Kyk weer daarna.',
      total_too_large: () =>
        'Dit kos meer as wat op een slag betaal kan word. Gee van die sitplekke terug, en koop hulle hierna.',
      hold_changed: () => 'Jou plekke het verander. Kyk weer daarna voordat jy betaal.',
      hold_not_reducible: () => 'Jy kan net minder plekke vra as wat jy het.',
      hold_expired: () => 'Jou tyd vir hierdie sitplekke is verby. Kies weer as hulle nog vry is.',
      payload_too_large: () => 'Dit was te veel op een slag. Kies minder sitplekke.',
      unsupported_media_type: () => 'Hierdie bladsy is verouderd. Laai dit weer.',
      idempotency_key_reused: () => 'Hierdie bladsy is verouderd. Laai dit weer.',
      too_many_seats: problem =>
        `Jy kan hoogstens ${seats(count(problem.limit))} bespreek. Stel een vry om ’n ander te kies.`,
      quota_exceeded: problem =>
        problem.quota === 'max_wheelchair_seats_per_booking'
          ? `Jy kan hoogstens ${n(count(problem.limit))} ${count(problem.limit) === 1 ? 'rolstoelplek' : 'rolstoelplekke'} bespreek. Vra die organiseerder vir meer.`
          : withWait(
              'Jy het vir eers soveel geneem as wat jy mag. Stel iets vry, of probeer later weer.',
              wait => `Jy het vir eers soveel geneem as wat jy mag. Probeer weer oor ${wait}.`,
              problem,
            ),
      rate_limited: problem =>
        withWait(
          'Daar was te veel pogings in ’n kort tyd. Wag ’n oomblik en probeer weer.',
          wait => `Daar was te veel pogings in ’n kort tyd. Probeer weer oor ${wait}.`,
          problem,
        ),
      internal_error: () =>
        'Iets het aan ons kant verkeerd geloop. Laai die bladsy weer en kyk wat gedoen is voordat jy weer probeer.',
      busy: () => 'Baie mense is nou hier. Probeer oor ’n oomblik weer.',
      database_unavailable: () => 'Ons stelsel is vir ’n oomblik nie beskikbaar nie. Probeer binnekort weer.',
      outcome_unknown: () =>
        'Die verbinding is verbreek, en dit het dalk gewerk. Laai die bladsy weer en kyk voordat jy weer probeer.',
      companion_reserved: () =>
        'Hierdie sitplek word gehou vir die metgesel by die rolstoelplek daarlangs. Kies ’n ander een.',
      sold_as_a_whole: problem =>
        Array.isArray(problem.seat_ids)
          ? `Hierdie ${seats(problem.seat_ids.length)} word saam verkoop. Neem almal, of geeneen nie.`
          : 'Hierdie sitplekke word saam verkoop. Neem almal, of geeneen nie.',
      no_suitable_seats: ({ reason }) =>
        reason === 'not_together'
          ? 'Daar is nie genoeg sitplekke langs mekaar nie. Soek minder, of aanvaar sitplekke wat nie langs mekaar is nie.'
          : reason === 'no_wheelchair_place'
            ? 'Daar is nie genoeg rolstoelplekke nie, of nie genoeg sitplekke daarlangs nie. Soek minder, of vra die organiseerder.'
            : reason === 'none_within_price'
              ? 'Daar is nie genoeg sitplekke teen hierdie prys nie. Soek minder, of kies ’n ander prys.'
              : 'Daar is nie meer genoeg sitplekke oor nie. Soek minder.',
      would_strand_seats: () => 'Een sitplek sal alleen oorbly. Neem dit ook, of kies ander sitplekke.',
      guest_not_allowed: () =>
        'Hierdie gas kan nie die plek kry nie: gaste hier is lede, of op die organiseerder se lys.',
      guests_not_named: () =>
        'Noem ’n gas vir elke plek behalwe jou eie, of stel die plekke vry wat jy nie nodig het nie.',
      guest_already_named: () => 'Hierdie gas het reeds ’n plek. Noem ’n ander een.',
      guests_not_asked_for: () => 'Jy hoef nie gaste vir hierdie plekke te noem nie.',
    },
    language: 'Taal',
    skip: 'Gaan na die inhoud',
    loading: 'Laai tans …',
    reload: 'Laai weer',
    close: 'Maak toe',
    field: {
      missing: 'Vul dit in.',
      short: (least: number) => `Gebruik minstens ${n(least)} karakters.`,
    },
    notShown: 'Hierdie bladsy kan nie nou gewys word nie',
    unreachable: 'Ons kan nie die bediener bereik nie.',
    tryingAgain: 'Ons hou aan probeer. Jy hoef niks te doen nie.',
    seats,
    places,
    placesIn: (many, section) => `${places(many)} in ${section}`,
    home: {
      title: 'Kies jou sitplekke',
      explain:
        'Elke organiseerder het hier ’n eie bladsy. Die skakel staan op die plakkaat of in die e-\u2060pos.',
      label: 'Skakel of kort naam van die organiseerder',
      eyebrow: 'VoelgoedEvents',
      hint: address => `Die kort naam is die einde van die skakel: “voelgoed” in ${address}.`,
      opens: address => `Maak ${address} oop`,
      unclear: 'Skryf die kort naam met letters of syfers, of plak die hele skakel.',
      go: 'Maak die bladsy oop',
      recent: 'Onlangs besoek',
    },
    money: format.money,
    price: (amount: number, currency: string) => format.price(amount, currency),
    storefront: {
      from: (price: string) => `Vanaf ${price}`,
      title: 'Geleenthede',
      none: 'Niks is nou te koop nie',
      noneExplain: 'Nuwe geleenthede verskyn hier sodra hulle aangekondig word.',
      left: (left, total) => `${n(left)} van ${n(total)} oor`,
      lead: 'Kies presies waar jy wil sit, en betaal aanlyn.',
      search: 'Soek ’n geleentheid of ’n lokaal',
      nextUp: 'Volgende',
      all: 'Alle geleenthede',
      past: 'Vorige geleenthede',
      noMatch: text => `Niks pas by “${text}” nie`,
      tryOther: 'Probeer ’n deel van die naam, of die lokaal.',
      showAll: 'Wys alle geleenthede',
      soldOut: 'Niks oor op die oomblik nie',
      inCarts: 'Alles in mandjies: van hulle kan terugkom',
      badge: {
        open: 'Te koop',
        few: left => `Net ${n(left)} oor`,
        soldOut: 'Uitverkoop',
        carts: 'Alles in mandjies',
        not_yet: 'Binnekort te koop',
        closed: 'Verkope gesluit',
        paused: 'Verkope onderbreek',
        cancelled: 'Gekanselleer',
        over: 'Verby',
        draft: 'Konsep',
      },
      choose: 'Kies sitplekke',
      wait: 'Wag vir ’n sitplek',
      look: 'Kyk na die saal',
      details: 'Besonderhede',
      held: many => `${seats(many)} word vir jou gehou`,
      more: 'Nog geleenthede',
      noDate: 'Datum volg nog',
      until: (first, last) => `${first} tot ${last}`,
    },
    event: {
      back: 'Geleenthede',
      map: 'Kaart',
      list: 'Lys',
      view: 'Wys die saal as',
      mapLabel: 'Kaart van die saal',
      mapKeys:
        'Pyltjies gaan van sitplek na sitplek, Page Up en Page Down van ry na ry, Home en End na die punte van ’n ry. Enter neem ’n sitplek of stel dit vry. Plus en minus zoem, Escape wys die hele saal. Die lys het alles wat op die kaart is.',
      listLabel: 'Alle afdelings, rye en sitplekke',
      legend: 'Legende',
      prices: 'Pryse',
      whereToSit: 'Waar om te sit',
      members: 'Net vir lede',
      connecting: 'Ons kyk watter sitplekke vry is …',
      live: 'Regstreeks',
      offline: 'Geen verbinding nie. Wat jy sien, is dalk verouderd.',
      backOnline: 'Weer verbind. Alles is bygewerk.',
      level: 'Vlak',
      zoomIn: 'Zoem in',
      zoomOut: 'Zoem uit',
      fit: 'Hele saal',
      free: many => `${n(many)} vry`,
      full: 'Uitverkoop',
      notOnSale: 'Nie te koop nie',
      section: (from, left) => (from === null ? `${n(left)} oor` : `vanaf ${from} · ${n(left)} oor`),
    },
    about: {
      doors: time => `Deure ${time}`,
      share: 'Deel',
      calendar: 'Voeg by kalender',
      copied: 'Skakel gekopieer',
      notCopied: link => `Kopieer hierdie skakel: ${link}`,
      more: 'Meer oor die geleentheid',
      less: 'Wys minder',
      about: 'Oor hierdie geleentheid',
    },
    sale: {
      open: 'Verkope is oop. Kies jou sitplekke.',
      unknown: 'Ons kyk of die verkope oop is …',
      not_yet: 'Verkope het nog nie begin nie.',
      closed: 'Verkope vir hierdie geleentheid is gesluit.',
      paused: 'Die platform het verkope onderbreek. Kaartjies wat jy het, bly geldig.',
      cancelled: 'Hierdie geleentheid is gekanselleer.',
      over: 'Hierdie geleentheid is verby.',
      draft: 'Hierdie geleentheid is nie te koop nie.',
      opensIn: 'Verkope begin oor',
      opensAt: when => `Op ${when}.`,
      countdown: seconds =>
        seconds < 86_400
          ? clockFace(seconds)
          : `${n(Math.floor(seconds / 86_400))} ${seconds < 172_800 ? 'dag' : 'dae'} ${clockFace(seconds % 86_400)}`,
      releasedHolds: what => `Nie meer vir jou gehou nie: ${what}.`,
      otherEvents: 'Sien ander geleenthede',
    },
    time: {
      there: (time, city) => `${time} (${city}-tyd)`,
      here: time => `= ${time} by jou`,
    },
    status: {
      free: 'vry',
      held: 'deur iemand gehou',
      sold: 'verkoop',
      blocked: 'nie te koop nie',
      mine: 'vir jou gehou',
      pending: 'op pad',
    },
    legend: {
      mine: 'joune',
      held: 'in ’n mandjie',
      sold: 'verkoop',
      blocked: 'nie te koop nie',
      alone: 'sal alleen oorbly',
    },
    category: {
      standard: 'sitplek',
      wheelchair: 'rolstoelplek',
      companion: 'metgeselsitplek',
      restricted_view: 'beperkte uitsig',
      aisle: 'gangsitplek',
    },
    zoneType: {
      reserved_seating: 'Genommerde sitplekke',
      ga_seated: 'Ongenommerde sitplekke',
      ga_standing: 'Staanplek',
      vip_reserved: 'Lede, genommerde sitplekke',
      vip_standing: 'Lede, staanplek',
    },
    list: {
      row: row => `Ry ${row}`,
      seat: (row, number) => `Ry ${row}, sitplek ${number}`,
      zoneFree: (free, capacity) => `${n(free)} van ${n(capacity)} vry`,
      rowFree: free => (free === 0 ? 'niks vry nie' : `${n(free)} vry`),
      aisle: 'gang',
      search: 'Soek ’n afdeling, ’n ry of ’n sitplek',
      searchHint: 'bv. C 12',
      ignored: ['ry', 'sitplek', 'afdeling'],
      kind: 'Wys',
      allKinds: 'Alle sitplekke',
      found: sections => `In ${n(sections)} ${sections === 1 ? 'afdeling' : 'afdelings'} gevind.`,
      nothingFound: 'Niks gevind nie. Probeer ’n afdeling, ’n ry, of ’n ry en ’n nommer.',
      onlyFree: 'Net waar iets vry is',
      showOnMap: 'Wys op die kaart',
      noneFree: 'Niks is op die oomblik vry nie.',
    },
    seatCard: {
      section: 'Afdeling',
      row: 'Ry',
      seat: 'Sitplek',
      name: (zone, row, number) => `${zone}, ry ${row}, sitplek ${number}`,
      rows: (first, last) => (first === last ? `ry ${first}` : `rye ${first}–${last}`),
      atAisle: 'langs ’n gang',
      unknown: 'nog nie bekend nie',
      add: price => (price === null ? 'Voeg sitplek by' : `Voeg sitplek by · ${price}`),
      companion: (row, number) => `Hoort by ry ${row}, sitplek ${number}`,
      type: 'Soort kaartjie',
      keptBeside: (row, number) =>
        `Die sitplek langsaan (ry ${row}, sitplek ${number}) word vir jou metgesel gehou.`,
      addCompanion: 'Voeg die metgeselsitplek by',
      addBoth: price => (price === null ? 'Voeg albei by' : `Voeg albei by · ${price}`),
      placeAlone: 'Die metgeselsitplek was nie beskikbaar nie. Die rolstoelplek word vir jou gehou.',
      waiting: 'Ons kyk watter sitplekke vry is …',
      waitingOffline: 'Sonder ’n verbinding kan ons nie sien watter sitplekke vry is nie.',
    },
    stageView: {
      show: 'Uitsig van hier',
      hide: 'Versteek die uitsig',
      label: 'Die verhoog soos ’n mens dit van hier sien',
      drawn: 'Volgens die plan geteken, nie ’n foto nie.',
      said: (metres, side) =>
        `Sowat ${n(metres)} m van die verhoog, ${side === 'middle' ? 'naby die middel' : `${side === 'left' ? 'links' : 'regs'} van die middel`}`,
    },
    zone: {
      each: (price: string) => `${price} per plek`,
      howMany: 'Hoeveel?',
      fewer: 'Een minder',
      more: 'Nog een',
      take: many => `Neem ${places(many)}`,
      limit: many => `Jy kan hoogstens ${places(many)} bespreek.`,
      noneForYou: 'Jy het soveel as wat jy kan bespreek. Stel iets vry om ander te kies.',
      members: 'Hierdie plekke is vir lede.',
      signInFirst: 'Meld aan om hulle te neem.',
      left: many => (many === 0 ? 'Niks oor op die oomblik nie' : `${places(many)} oor`),
    },
    find: {
      title: 'Soek nog sitplekke',
      quantity: 'Hoeveel kaartjies?',
      together: 'Net langs mekaar',
      wheelchair: 'Waarvan rolstoelplekke',
      companions: 'Waarvan metgeselsitplekke',
      zone: 'Waar',
      anywhere: 'Enige plek',
      go: 'Soek die beste vir my',
      price: 'Prys elk',
      anyPrice: 'Enige prys',
      more: 'Meer opsies',
      upTo: price => `tot ${price}`,
      best: 'Die beste vir jou',
      offer: (parts, isTogether) => {
        const [first] = parts
        if (isTogether && parts.length === 1) {
          return first!.count === 1
            ? `1 sitplek in ry ${first!.row}`
            : `${n(first!.count)} bymekaar in ry ${first!.row}`
        }
        return parts.map(({ row, count }) => `${n(count)} in ry ${row}`).join(', ')
      },
      where: (zone, numbers, count) => `${zone}, ${count === 1 ? 'sitplek' : 'sitplekke'} ${numbers}`,
      each: price => `${price} elk`,
      take: 'Neem hierdie',
      change: 'Soek iets anders',
      noClockYet: 'Die klok begin loop wanneer jy hulle neem.',
      others: 'Ander sitplekke',
      busy: 'Ons soek sitplekke …',
      noRoom: 'Jy het soveel as wat jy kan bespreek. Stel iets vry om ander te soek.',
      found: (parts, isTogether) =>
        `Vir jou gehou: ${parts
          .map(({ zone, row, numbers }) => {
            const beside = isTogether && numbers.length > 1 ? ' langs mekaar' : ''
            return `${seats(numbers.length)}${beside} in ${zone}, ry ${row} (${numbers.join(', ')})`
          })
          .join('; ')}.`,
      fewer: many => (many === 1 ? 'Soek 1 sitplek' : `${seats(many)} langs mekaar is oor`),
      apart: 'Enige plekke, nie langs mekaar nie',
      inZone: zone => `In die afdeling ${zone}`,
      takeWhole: many => `Neem al ${seats(many)}`,
    },
    advice: {
      alone: numbers =>
        `${numbers.length === 1 ? 'Sitplek' : 'Sitplekke'} ${format.list(numbers)} sal alleen oorbly.`,
      aloneNamed: seatNames => `${seatNames.join(' · ')} sal alleen oorbly.`,
      add: numbers => `Voeg ${numbers.length === 1 ? 'sitplek' : 'sitplekke'} ${format.list(numbers)} by`,
      change: numbers =>
        `Neem eerder ${numbers.length === 1 ? 'sitplek' : 'sitplekke'} ${format.list(numbers)}`,
      changeNamed: labels => `Neem eerder ${format.list(labels)}`,
      changed: 'Jou sitplekke is verander.',
      companion: seat => `’n Metgeselsitplek langs jou rolstoelplek (${seat}) word vir jou gehou.`,
      takeCompanion: 'Neem die metgeselsitplek',
    },
    panel: {
      total: 'Totaal',
      taxIncluded: (tax: string) => `Ingesluit: ${tax}`,
      title: 'Jou sitplekke',
      none: 'Nog niks gekies nie. Tik op ’n sitplek op die kaart, of kies een uit die lys.',
      timeLeft: 'Tyd oor',
      keptForYou: 'vir jou gehou',
      keptBesides: many => `vir jou ${n(many)} ${many === 1 ? 'kaartjie' : 'kaartjies'}`,
      noPrices: organizer =>
        `Hierdie blad verkoop nie kaartjies vir hierdie geleentheid nie. ${organizer} doen dit: vra daar terwyl jou sitplekke gehou word.`,
      tickets: many => `${n(many)} ${many === 1 ? 'kaartjie' : 'kaartjies'}`,
      more: type => `Nog een ${type}`,
      less: type => `Een ${type} minder`,
      rowSeats: (row, seatNumbers) =>
        `Ry ${row}, ${hasSeveral(seatNumbers) ? 'sitplekke' : 'sitplek'} ${seatNumbers}`,
      heldFor: time => `Nog ${time} vir jou gehou`,
      hurry: 'Nie baie tyd oor nie',
      extend: 'Meer tyd',
      extended: seconds => `Jy het nou ${duration(seconds)}.`,
      noMoreTime: 'Hierdie sitplekke kan nie langer gehou word nie. Betaal voordat die tyd verby is.',
      release: 'Stel vry',
      releaseAll: 'Stel alles vry',
      released: what => `Vrygestel: ${what}.`,
      show: 'Wys',
      fewer: 'Een minder',
      unfold: 'Wys my sitplekke',
      fold: 'Versteek my sitplekke',
      noneShort: 'niks gekies nie',
      checking: 'Ons vra die bediener wat vir jou gehou word …',
      lastKnown: 'Van jou vorige besoek. Ons kyk weer sodra daar verbinding is.',
      soon: seconds => `Nog ${duration(seconds)} vir jou sitplekke.`,
      underWay: 'Betaling aan die gang',
      notPaid: 'Nog nie betaal nie',
      deciding:
        'Jou bank besluit. Tot dan bly jou sitplekke soos hulle is; geen geld word twee keer geneem nie.',
      unpaid:
        'Geen geld is van jou geneem nie. Gaan voort met betaal, of verander jou sitplekke: dan begin jy weer.',
      goOn: 'Gaan voort',
      changeSeats: 'Verander sitplekke',
      freed:
        'Daardie betaling is verby, en geen geld is van jou geneem nie. Jou sitplekke word gehou: verander hulle, en betaal dan.',
      bought: 'Jou betaling het deurgegaan. Die kaartjies is joune.',
    },
    taken: {
      held: what => `${what} word vir jou gehou.`,
      isHeld: what => `${what} word nou deur iemand anders gehou.`,
      isSold: what => `${what} is verkoop.`,
      isBlocked: what => `${what} is nie te koop nie.`,
      isNearby: 'Naby en vry:',
      takeThese: what => `Neem ${what}`,
      unknown: 'Ons weet nog nie of dit deurgegaan het nie. Ons vra die bediener.',
      offline: 'Sonder verbinding kan geen sitplek geneem word nie. Probeer weer as jy terug is.',
    },
    expired: {
      title: 'Jou tyd is verby',
      explain: 'Hierdie plekke is weer te koop:',
      again: 'Neem hulle weer',
      dismiss: 'Kies ander plekke',
    },
    account: {
      guest: 'Meld aan',
      signIn: 'Meld aan',
      signUp: 'Skep ’n rekening',
      signOut: 'Meld af',
      email: 'E-\u2060posadres',
      password: 'Wagwoord',
      code: 'Kode uit jou toep, of ’n herstelkode',
      passwordHint: 'Minstens 8 karakters',
      wrongPassword: 'Die e-\u2060posadres en die wagwoord pas nie bymekaar nie. Probeer weer.',
      forgot: 'Wagwoord vergeet?',
      change: 'Verander jou wagwoord',
      noAccount: 'Nuut hier?',
      haveAccount: 'Het jy reeds ’n rekening?',
      signedIn: email => `Jy is aangemeld as ${email}.`,
      movedHolds: 'Jou sitplekke is nou in jou rekening.',
      stays:
        'Die sitplekke wat jy voor aanmelding gekies het, kon nie na jou rekening geskuif word nie. Hulle bly gehou totdat hulle tyd verby is.',
      staysBecause: code =>
        code === 'too_many_seats'
          ? 'Saam met wat jou rekening het, is dit meer as wat jy kan bespreek.'
          : code === 'zone_access_denied'
            ? 'Hulle is in ’n afdeling wat jou rekening nie mag bespreek nie.'
            : 'Die geleentheid laat dit nie nou toe nie.',
      bringAgain: 'Probeer weer',
      releaseThem: 'Stel hulle vry',
      stillHeld: many => `${seats(many)} word vir jou gehou`,
      leaveHolds:
        'As jy nou afmeld, bly hulle vir jou rekening gehou totdat die tyd verby is. Vir ander mense lyk hulle gevat, en hierdie blaaier wys hulle as deur iemand gehou.',
      ticketsHere: many =>
        `${many === 1 ? '1 kaartjie word' : `${many} kaartjies word`} op hierdie toestel gehou. Wanneer jy afmeld:`,
      keepTickets: 'Hou hulle hier: enigeen wat hierdie toestel gebruik, kan hulle oopmaak',
      removeTickets: 'Verwyder hulle: hulle kom terug wanneer jy aanmeld',
      releaseAndLeave: 'Stel hulle vry en meld af',
      keepAndLeave: 'Behou hulle en meld af',
      notReleased: 'Hulle kon nie vrygestel word nie. Jy is nog aangemeld; probeer weer.',
    },
    password: {
      title: {
        ask: 'Wagwoord vergeet?',
        reset: 'Kies ’n nuwe wagwoord',
        change: 'Verander jou wagwoord',
        confirm: 'Bevestig jou e-\u2060posadres',
      },
      about: {
        ask: 'Tik die e-\u2060posadres van jou rekening in. As daar so ’n rekening is, stuur ons ’n skakel om ’n nuwe wagwoord te kies.',
        reset: 'Jy word oral afgemeld, en kan met die nuwe wagwoord aanmeld.',
        change: 'Jy word oral elders afgemeld, en ons laat jou per e-\u2060pos weet.',
      },
      submit: {
        ask: 'Stuur vir my ’n skakel',
        reset: 'Stoor die nuwe wagwoord',
        change: 'Verander die wagwoord',
        confirm: 'Ja, dit is my rekening',
      },
      current: 'Huidige wagwoord',
      new: 'Nuwe wagwoord',
      wasAsked:
        'As daar ’n rekening met hierdie adres is, is ’n e-\u2060pos op pad. Die skakel werk vir een uur.',
      wasReset: 'Jou wagwoord is verander. Meld met die nuwe een aan.',
      wasChanged: 'Jou wagwoord is verander.',
      linkIsOver: 'Hierdie skakel is al gebruik of het verval. Vra vir ’n ander een.',
      toConsole: 'Na die konsole',
      wrongCurrent: 'Dit is nie jou huidige wagwoord nie. Probeer weer.',
      back: 'Na die geleenthede',
    },
    confirm: {
      offer: email =>
        `${email} is nog nie bevestig nie. Plekke vir lede en vir genooides gaan oop vir bevestigde adresse.`,
      send: 'Stuur vir my ’n skakel',
      sent: email =>
        `’n E-\u2060pos is op pad na ${email}. Maak die skakel op hierdie toestel oop, en kies dan weer hierdie plekke.`,
      isConfirmed:
        'Jou e-\u2060posadres is bevestig. Plekke vir lede en vir genooides gaan nou daarvoor oop.',
      about: email =>
        email === null
          ? 'Meld aan by die rekening waaroor die e-\u2060pos gaan, om te bevestig dat dit joune is.'
          : `Jy is aangemeld as ${email}. Bevestig dat hierdie rekening joune is.`,
      notMine:
        'As jy nie hierdie rekening gemaak het nie, kies eerder ’n wagwoord: dan is dit net joune, en niemand anders is meer daarby aangemeld nie.',
      otherAccount: 'Hierdie skakel is vir ’n ander rekening. Meld af, en meld by daardie een aan.',
    },
    checkout: checkoutAf,
    pay: payAf,
    order: orderAf,
    notFound: {
      title: 'Ons kan nie hierdie bladsy vind nie',
      organization:
        'Daar is geen organiseerder met hierdie kort naam nie. Kyk weer na die skakel wat jy gekry het.',
      event: 'Hierdie geleentheid bestaan nie, of nie meer nie.',
      page: 'Daar is niks by hierdie adres nie. Kyk weer na die skakel.',
      home: 'Na die voorblad',
    },
  }
}

// SPDX-License-Identifier: MIT
// The characters of the character references of HTML: &eacute; and all other names of HTML 5, and numbers.
// Made by tools/make_reference_tables.py: do not edit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup::inline v0::detail {

// clang-format off

inline constexpr std::size_t longest_reference_name = 31;

// Indexed by length: the number of names with that many characters.
inline constexpr std::uint16_t reference_counts[32] = {
  0, 0, 52, 220, 376, 422, 411, 138, 110, 56, 46, 40, 30, 42, 44, 34, 29, 26, 16, 9, 11, 7, 2, 1, 2, 0, 0, 0, 0, 0, 0,
  1,
};

// The names of HTML character references without & and semicolon, by ascending length. Names of equal length are in
// byte order.
inline constexpr char reference_names[] =
  "DDGTGgGtImLTLlLtMuNuOrPiPrReScXiacafapddeeegelgEgeggglgticiiinitlElelgllltmpmuneninuoSorpipmprrxscwpwrxiAMPAcyAf"
  "rAndBcyBfrCapCfrChiCupDcyDelDfrDotENGETHEcyEfrEtaFcyFfrGcyGfrHatHfrIcyIfrIntJcyJfrKcyKfrLcyLfrLshMapMcyMfrNcyNfr"
  "NotOcyOfrPcyPfrPhiPsiQfrREGRcyRfrRhoRshScySfrSubSumSupTabTauTcyTfrUcyUfrVcyVeeVfrWfrXfrYcyYfrZcyZfracEacdacyafra"
  "mpandangapEapeastbcybfrbnebotcapcfrchicircupdcydegdfrdiedivdotecyefregsellelsengetaethfcyffrgElgapgcygelgeqgesgf"
  "rgggglEglagljgnEgnehfricyiffifrintjcyjfrkcykfrlEglaplatlcylegleqleslfrlgElnElnelozlrmlshmapmcymfrmhomidnGgnGtnLl"
  "nLtnapncynfrngEngengtnisnivnlEnlenltnotnprnscnumocyofrogtohmoltordorvparpcypfrphipivprEprepsiqfrrcyregrfrrhorlmr"
  "shscEscescysfrshysimsmtsolsqusubsumsuptautcytfrtopucyufrumlvcyveevfrwfrxfrycyyenyfrzcyzfrzwjAopfAscrAumlBarvBeta"
  "BopfBscrCHcyCOPYCdotCopfCscrDJcyDScyDZcyDarrDopfDscrEdotEopfEscrEsimEumlFopfFscrGJcyGdotGopfGscrHopfHscrIEcyIOcy"
  "IdotIopfIotaIscrIumlJopfJscrKHcyKJcyKopfKscrLJcyLangLarrLopfLscrMopfMscrNJcyNopfNscrOopfOscrOumlPopfPscrQUOTQopf"
  "QscrRangRarrRopfRscrSHcySopfSqrtSscrStarTScyTopfTscrUarrUopfUpsiUscrUumlVbarVertVopfVscrWopfWscrXopfXscrYAcyYIcy"
  "YUcyYopfYscrYumlZHcyZdotZetaZopfZscranddandvangeaopfapidaposascraumlbNotbbrkbetabethbnotbopfboxHboxVboxhboxvbscr"
  "bsimbsolbullbumpcapscdotcentchcycirEcirccirecompcongcopfcopycscrcsubcsupcupsdArrdHardarrdashdiamdjcydopfdscrdscy"
  "dsoldtridzcyeDoteciredotemspenspeopfeparepsiescresimeumleuroexclflatfnoffopfforkfscrgdotgeqqgeslgjcygnapgneqgopf"
  "gscrgsimgtccgvnEhArrhalfharrhbarhopfhscriecyimofiocyiopfiotaiscrisiniumljopfjscrkhcykjcykopfkscrlArrlHarlanglarr"
  "latelcubldcaldshleqqlesgljcylnaplneqlopflozflparlscrlsimlsqbltccltrilvnEmacrmalemaltmlcpmldrmopfmscrnGtvnLtvnang"
  "napEnbspncapncupngeqngesngtrnisdnjcynldrnleqnlesnmidnopfnparnprenscenscrnsimnsubnsupntglntlgnvapnvgenvgtnvlenvlt"
  "oastocirodivodotogonointomidoopfoparordfordmororoscrosoloumlparapartperpphivpluspopfprapprecprnEprodproppscrqint"
  "qopfqscrquotrArrrHarracerangrarrrcubrdcardshrealrectrhovringropfrparrscrrsqbrtriscapscnEsdotsectsemisextshcysime"
  "simgsimlsmidsmtesolbsopfsparsqufsscrstarsubEsubesuccsungsup1sup2sup3supEsupetbrktdottinttoeatopftosatrietscrtscy"
  "uArruHaruarruopfupsiuscrutriuumlvArrvBarvarrvertvopfvscrwopfwscrxcapxcupxmapxnisxopfxscrxveeyacyyicyyopfyscryucy"
  "yumlzdotzetazhcyzopfzscrzwnjAEligAcircAlphaAmacrAogonAringBreveCcircColonCrossDashvDeltaEcircEmacrEogonEqualGamm"
  "aGcircHacekHcircIJligIcircImacrIogonIukcyJcircJukcyKappaOEligOcircOmacrOmegaPrimeRBarrScircSigmaTHORNTRADETSHcyT"
  "hetaTildeUbrcyUcircUmacrUnionUogonUpTeeUringVDashVdashWcircWedgeYcircacircacuteaeligalephalphaamacramalgangleang"
  "rtangstaogonaringasympawintbcongbdquobepsiblankblk12blk14blk34blockboxDLboxDRboxDlboxDrboxHDboxHUboxHdboxHuboxUL"
  "boxURboxUlboxUrboxVHboxVLboxVRboxVhboxVlboxVrboxdLboxdRboxdlboxdrboxhDboxhUboxhdboxhuboxuLboxuRboxulboxurboxvHbo"
  "xvLboxvRboxvhboxvlboxvrbrevebsemibsimebsolbbumpEbumpecaretcaronccapsccircccupscedilcheckclubscoloncommacrarrcros"
  "scsubecsupectdotcueprcuesccuporcuveecuwedcwintdashvdblacddarrdeltadharldharrdiamsdisindoteqdtdotdtrifduarrduhare"
  "DDotecircefDotemacremptyeogoneplusepsiveqsimequiverDoterarresdotexistffligfiligfjligflligfltnsforkvfraslfrowngam"
  "magcircgesccgimelgneqqgnsimgravegsimegsimlgtcirgtdotharrwhcirchoarricirciexcliiintiiotaijligimacrimageimathimped"
  "infiniogoniprodisinEisinsisinviukcyjcircjmathjukcykappalAarrlBarrlangdlaquolarrblateslbarrlbbrklbrkelceilldquole"
  "scclhardlharulhblkllarrlltrilneqqlnsimloangloarrlobrkloparlrarrlrharlrtrilsimelsimglsquoltcirltdotltrieltrifmDDo"
  "tmdashmicrominusmumapnablanapidnaposnaturnbumpncongndashneArrnearrnedotnesimngeqqngsimnhArrnharrnhparnlArrnlarrn"
  "leqqnlessnlsimnltrinotinnotninpartnprecnrArrnrarrnrtrinsimensmidnsparnsubEnsubensuccnsupEnsupenumspnvsimnwArrnwa"
  "rrocircodashoeligofcirohbarolarrolcirolineomacromegaoperpoplusorarrorderovbarparslphoneplusbplusepoundprcueprime"
  "prnapprsimquestrAarrrBarrradicrangdrangeraquorarrbrarrcrarrwratiorbarrrbbrkrbrkerceilrdquorealsrhardrharurlarrrl"
  "harrnmidroangroarrrobrkroparrrarrrsquortriertrifsbquosccuescircscnapscsimsdotbsdoteseArrsearrsetmnsharpsigmasime"
  "qsimgEsimlEsimneslarrsmilesmtessqcapsqcupsqsubsqsupsrarrstarfstrnssubnEsubnesupnEsupneswArrswarrszligthetathkapt"
  "horntildetimestradetrisbtshcytwixtubrcyucircudarrudharuharluharruhblkultriumacruogonuplusupsihuringurtriutdotutr"
  "ifuuarrvBarvvDashvarpivdashveeeqvltrivnsubvnsupvpropvrtriwcircwedgexcircxdtrixhArrxharrxlArrxlarrxodotxrArrxrarr"
  "xutriycircAacuteAbreveAgraveAssignAtildeBarwedBumpeqCacuteCcaronCcedilColoneConintCupCapDaggerDcaronDotDotDstrok"
  "EacuteEcaronEgraveExistsForAllGammadGbreveGcedilHARDcyHstrokIacuteIgraveItildeJsercyKcedilLacuteLambdaLcaronLced"
  "ilLmidotLstrokNacuteNcaronNcedilNtildeOacuteOdblacOgraveOslashOtildeOtimesRacuteRarrtlRcaronRcedilSHCHcySOFTcySa"
  "cuteScaronScedilSquareSubsetSupsetTcaronTcedilTstrokUacuteUbreveUdblacUgraveUtildeVdashlVerbarVvdashYacuteZacute"
  "Zcaronaacuteabreveagraveandandangmsdangsphapacirapproxatildebarveebarwedbecausbernoubigcapbigcupbigveebkarowbott"
  "ombowtieboxboxbprimebrvbarbulletbumpeqcacutecapandcapcapcapcupcapdotccaronccedilcirceqcirmidcolonecommatcompfnco"
  "nintcoprodcopysrcularrcupcapcupcupcupdotcurarrcurrencylctydaggerdalethdcarondfishtdividedivonxdlcorndlcropdollar"
  "drcorndrcropdstrokeacuteeasterecaronecolonegraveegsdotelsdotemptyvemsp13emsp14eparsleqcircequalsequestfemaleffil"
  "igfflligforallfrac12frac13frac14frac15frac16frac18frac23frac25frac34frac35frac38frac45frac56frac58frac78gacutega"
  "mmadgbrevegesdotgeslesgtlPargtrarrgtrdotgtrsimhairsphamilthardcyheartshellipherconhomththorbarhslashhstrokhybull"
  "hypheniacuteigraveiiiintiinfinincareinodotintcaliquestisinsvitildejsercykappavkcedilkgreenlAtaillacutelagranlamb"
  "dalanglelarrfslarrhklarrlplarrpllarrtllataillbracelbracklcaronlcedilldquorlesdotlesgeslfishtlfloorlharulllhardlm"
  "idotlmoustlopluslowastlowbarlparltlrhardlsaquolsquorlstroklthreeltimesltlarrltrParmapstomarkermcommamidastmidcir"
  "middotminusbminusdmnplusmodelsmstposnVDashnVdashnacutenbumpencaronncedilnearhknequivnesearnexistnltrienotinEnpar"
  "slnprcuenrarrcnrarrwnrtriensccuensimeqntildenumeronvDashnvHarrnvdashnvlArrnvrArrnwarhknwnearoacuteodblacodsoldog"
  "raveominusorigofoslashotildeotimesparsimpercntperiodpermilphmmatplanckplankvplusdoplusduplusmnpreceqprimesprnsim"
  "proptoprurelpuncspqprimerAtailracuteranglerarraprarrfsrarrhkrarrlprarrplrarrtlratailrbracerbrackrcaronrcedilrdqu"
  "orrfishtrfloorrharulrmoustroplusrpargtrsaquorsquorrthreertimessacutescaronscedilscnsimsearhkseswarsfrownshchcysi"
  "gmafsigmavsimdotsmashpsoftcysolbarspadessqcapssqcupssqsubesqsupesquaresquarfssetmnssmilesstarfsubdotsubsetsubsim"
  "subsubsubsupsucceqsupdotsupsetsupsimsupsubsupsupswarhkswnwartargettcarontcediltelrecthere4thetavthinspthksimtime"
  "sbtimesdtopbottopcirtprimetridottstrokuacuteubreveudblacufishtugraveulcornulcropurcornurcroputildevangrtvarphiva"
  "rrhoveebarvellipverbarvsubnEvsubnevsupnEvsupnewedbarwedgeqweierpwreathxoplusxotimexsqcupxuplusxwedgeyacutezacute"
  "zcaronzeetrfBecauseCayleysCconintCedillaDiamondDownTeeElementEpsilonImpliesLeftTeeNewLineNoBreakNotLessOmicronOv"
  "erBarProductUpArrowUparrowUpsilonalefsymangrtvbangzarrasympeqbacksimbecausebemptyvbetweenbigcircbigodotbigstarbn"
  "equivboxplusccupssmcemptyvcirscircoloneqcongdotcudarrlcudarrrcularrpcurarrmdbkarowddaggerddotseqdemptyvdiamonddi"
  "gammadotplusdwangleepsiloneqcolonequivDDgesdotogtquestgtrlessharrcirintprodisindotlarrbfslarrsimlbrksldlbrksluld"
  "rdharlesdotolessdotlessgtrlesssimlotimeslozengeltquestluruharmalteseminusdunapproxnaturalnearrownexistsnotinvano"
  "tinvbnotinvcnotnivanotnivbnotnivcnpolintnpreceqnsqsubensqsupensubsetnsucceqnsupsetnvinfinnvltrienvrtrienwarrowol"
  "crossomicronorderoforslopepertenkplanckhpluscirplussimplustwoprecsimquatintquesteqrarrbfsrarrsimrbrksldrbrkslurd"
  "ldharrealinerotimesruluharsearrowsimplussimrarrsubedotsubmultsubplussubrarrsuccsimsupdsubsupedotsuphsolsuphsubsu"
  "plarrsupmultsupplusswarrowtopforktriplustritimeuparrowupsilonuwanglevzigzagzigrarrDDotrahdDotEqualIntegralLessLe"
  "ssNotEqualNotTildePartialDPrecedesRightTeeSucceedsSuchThatSupersetUarrocirUnderBarandslopeangmsdaaangmsdabangmsd"
  "acangmsdadangmsdaeangmsdafangmsdagangmsdahangrtvbdapproxeqawconintbackcongbarwedgebbrktbrkbigoplusbigsqcupbigupl"
  "usbigwedgeboxminusboxtimesbsolhsubcapbrcupcircledRcircledScirfnintclubsuitcupbrcapcurlyveecwconintdoteqdotdotmin"
  "usdrbkarowdzigrarrelintersemptyseteqvparslfpartintgeqslantgesdotolgnapproxhksearowhkswarowimaglineimagpartinfint"
  "ieintegersintercalintlarhklaemptyvldrusharleqslantlesdotorllcornerlnapproxlrcornerlurdsharmapstoupmultimapnatura"
  "lsncongdotnotindototimesasparallelplusacirpointintprecneqqprecnsimprofalarproflineprofsurfraemptyvrealpartrppoli"
  "ntrtriltriscpolintsetminusshortmidsmeparslsqsubsetsqsupsetsubseteqsuccneqqsuccnsimsupseteqthetasymthicksimtimesb"
  "artriangletriminustrpeziumulcornerurcornervarkappavarsigmavarthetaBackslashCenterDotCircleDotCongruentCoproductD"
  "oubleDotDownArrowDownBreveDownarrowHumpEqualLeftArrowLeftFloorLeftarrowLessTildeMellintrfMinusPlusNotCupCapNotEx"
  "istsNotSubsetOverBracePlusMinusThereforeThinSpaceTripleDotUnionPlusbackprimebacksimeqbigotimescenterdotcheckmark"
  "complexesdotsquaredownarrowgtrapproxgtreqlessgvertneqqheartsuitleftarrowlesseqgtrlvertneqqngeqslantnleqslantnpar"
  "allelnshortmidnsubseteqnsupseteqpitchforkrationalsspadesuitsubseteqqsubsetneqsupseteqqsupsetneqthereforetriangle"
  "qvarproptoBernoullisCirclePlusEqualTildeFouriertrfImaginaryILaplacetrfLeftVectorLleftarrowNotElementNotGreaterPr"
  "oportionRightArrowRightFloorRightarrowThickSpaceTildeEqualTildeTildeUnderBraceUpArrowBarUpTeeArrowcircledastcomp"
  "lementcurlywedgeeqslantgtrgtreqqlesslessapproxlesseqqgtrlmoustachelongmapstomapstodownmapstoleftnLeftarrownlefta"
  "rrownsubseteqqnsupseteqqprecapproxrightarrowrmoustachesqsubseteqsqsupseteqsubsetneqqsuccapproxsupsetneqqupuparro"
  "wsvarepsilonvarnothingCircleMinusCircleTimesEquilibriumGreaterLessLeftCeilingLessGreaterMediumSpaceNotLessLessNo"
  "tPrecedesNotSucceedsNotSupersetOverBracketRightVectorRrightarrowRuleDelayedSmallCircleSquareUnionSubsetEqualUpDo"
  "wnArrowUpdownarrowVerticalBarbackepsilonblacksquarecircledcirccircleddashcurlyeqpreccurlyeqsuccdiamondsuiteqslan"
  "tlessexpectationnRightarrownrightarrowpreccurlyeqprecnapproxquaternionsstraightphisucccurlyeqsuccnapproxthickapp"
  "roxupdownarrowDownArrowBarDownTeeArrowExponentialEGreaterEqualGreaterTildeHilbertSpaceHumpDownHumpIntersectionLe"
  "ftArrowBarLeftTeeArrowLeftTriangleLeftUpVectorNotCongruentNotHumpEqualNotLessEqualNotLessTildeProportionalRightC"
  "eilingRoundImpliesShortUpArrowSquareSubsetUnderBracketVerticalLineblacklozengeexponentialerisingdotseqtriangledo"
  "wntriangleleftvarsubsetneqvarsupsetneqApplyFunctionDifferentialDDoubleLeftTeeDoubleUpArrowLeftTeeVectorLeftVecto"
  "rBarLessFullEqualLongLeftArrowLongleftarrowNotEqualTildeNotTildeEqualNotTildeTildePoincareplanePrecedesEqualPrec"
  "edesTildeRightArrowBarRightTeeArrowRightTriangleRightUpVectorSucceedsEqualSucceedsTildeSupersetEqualUpEquilibriu"
  "mVerticalTildeVeryThinSpacebigtriangleupblacktriangledivideontimesfallingdotseqhookleftarrowleftarrowtaillefthar"
  "poonuplongleftarrowlooparrowleftmeasuredanglentriangleleftshortparallelsmallsetminustrianglerightupharpoonleftva"
  "rsubsetneqqvarsupsetneqqDiacriticalDotDoubleRightTeeDownLeftVectorGreaterGreaterHorizontalLineInvisibleCommaInvi"
  "sibleTimesLeftDownVectorLeftRightArrowLeftrightarrowLessSlantEqualLongRightArrowLongrightarrowLowerLeftArrowNest"
  "edLessLessNotGreaterLessNotLessGreaterNotSubsetEqualNotVerticalBarOpenCurlyQuoteReverseElementRightTeeVectorRigh"
  "tVectorBarShortDownArrowShortLeftArrowSquareSupersetTildeFullEqualUpperLeftArrowZeroWidthSpacecurvearrowleftdoub"
  "lebarwedgedowndownarrowshookrightarrowleftleftarrowsleftrightarrowleftthreetimeslongrightarrowlooparrowrightnsho"
  "rtparallelntrianglerightrightarrowtailrightharpoonuptriangleleftequpharpoonrightCloseCurlyQuoteContourIntegralDo"
  "ubleDownArrowDoubleLeftArrowDownRightVectorLeftRightVectorLeftTriangleBarLeftUpTeeVectorLeftUpVectorBarLowerRigh"
  "tArrowNotGreaterEqualNotGreaterTildeNotHumpDownHumpNotLeftTriangleNotSquareSubsetOverParenthesisRightDownVectorS"
  "hortRightArrowUpperRightArrowbigtriangledowncirclearrowleftcurvearrowrightdownharpoonleftleftharpoondownleftrigh"
  "tarrowsnLeftrightarrownleftrightarrowntrianglelefteqrightleftarrowsrightsquigarrowrightthreetimesstraightepsilon"
  "trianglerighteqvartriangleleftDiacriticalAcuteDiacriticalGraveDiacriticalTildeDoubleRightArrowDownArrowUpArrowEm"
  "ptySmallSquareGreaterEqualLessGreaterFullEqualLeftAngleBracketLeftUpDownVectorLessEqualGreaterNonBreakingSpaceNo"
  "tPrecedesEqualNotRightTriangleNotSucceedsEqualNotSucceedsTildeNotSupersetEqualRightTriangleBarRightUpTeeVectorRi"
  "ghtUpVectorBarUnderParenthesisUpArrowDownArrowcirclearrowrightdownharpoonrightntrianglerighteqrightharpoondownri"
  "ghtrightarrowstwoheadleftarrowvartrianglerightDoubleUpDownArrowDoubleVerticalBarDownLeftTeeVectorDownLeftVectorB"
  "arFilledSmallSquareGreaterSlantEqualLeftDoubleBracketLeftDownTeeVectorLeftDownVectorBarLeftTriangleEqualNegative"
  "ThinSpaceNotGreaterGreaterNotLessSlantEqualNotNestedLessLessNotReverseElementNotSquareSupersetNotTildeFullEqualR"
  "ightAngleBracketRightUpDownVectorSquareSubsetEqualVerticalSeparatorblacktriangledownblacktriangleleftleftrightha"
  "rpoonsrightleftharpoonstwoheadrightarrowDownRightTeeVectorDownRightVectorBarLongLeftRightArrowLongleftrightarrow"
  "NegativeThickSpaceNotLeftTriangleBarPrecedesSlantEqualReverseEquilibriumRightDoubleBracketRightDownTeeVectorRigh"
  "tDownVectorBarRightTriangleEqualSquareIntersectionSucceedsSlantEqualblacktrianglerightlongleftrightarrowDoubleLo"
  "ngLeftArrowDownLeftRightVectorLeftArrowRightArrowNegativeMediumSpaceNotGreaterFullEqualNotRightTriangleBarRightA"
  "rrowLeftArrowSquareSupersetEqualleftrightsquigarrowCapitalDifferentialDDoubleLeftRightArrowDoubleLongRightArrowE"
  "mptyVerySmallSquareNestedGreaterGreaterNotDoubleVerticalBarNotGreaterSlantEqualNotLeftTriangleEqualNotSquareSubs"
  "etEqualOpenCurlyDoubleQuoteReverseUpEquilibriumCloseCurlyDoubleQuoteDoubleContourIntegralFilledVerySmallSquareNe"
  "gativeVeryThinSpaceNotPrecedesSlantEqualNotRightTriangleEqualNotSucceedsSlantEqualDiacriticalDoubleAcuteNotSquar"
  "eSupersetEqualNotNestedGreaterGreaterClockwiseContourIntegralDoubleLongLeftRightArrowCounterClockwiseContourInte"
  "gral"
;

// Indexed by name: the character that the name represents; or 0xd800 + i, if it represents the two UTF-16 units
// reference_pairs[i].
inline constexpr char16_t reference_units[2125] = {
  8517, 62, 8921, 8811, 8465, 60, 8920, 8810, 924, 925, 10836, 928, 10939, 8476, 10940, 926, 8766, 8289, 8776, 8518,
  8519, 10906, 10905, 8807, 8805, 8811, 8823, 62, 8291, 8520, 8712, 8290, 8806, 8804, 8822, 8810, 60, 8723, 956, 8800,
  8715, 957, 9416, 8744, 960, 177, 8826, 8478, 8827, 8472, 8768, 958, 38, 1040, 55296, 10835, 1041, 55297, 8914, 8493,
  935, 8915, 1044, 8711, 55298, 168, 330, 208, 1069, 55299, 919, 1060, 55300, 1043, 55301, 94, 8460, 1048, 8465, 8748,
  1049, 55302, 1050, 55303, 1051, 55304, 8624, 10501, 1052, 55305, 1053, 55306, 10988, 1054, 55307, 1055, 55308, 934,
  936, 55309, 174, 1056, 8476, 929, 8625, 1057, 55310, 8912, 8721, 8913, 9, 932, 1058, 55311, 1059, 55312, 1042, 8897,
  55313, 55314, 55315, 1067, 55316, 1047, 8488, 55317, 8767, 1072, 55318, 38, 8743, 8736, 10864, 8778, 42, 1073, 55319,
  55320, 8869, 8745, 55321, 967, 9675, 8746, 1076, 176, 55322, 168, 247, 729, 1101, 55323, 10902, 8467, 10901, 331, 951,
  240, 1092, 55324, 10892, 10886, 1075, 8923, 8805, 10878, 55325, 8921, 10898, 10917, 10916, 8809, 10888, 55326, 1080,
  8660, 55327, 8747, 1081, 55328, 1082, 55329, 10891, 10885, 10923, 1083, 8922, 8804, 10877, 55330, 10897, 8808, 10887,
  9674, 8206, 8624, 8614, 1084, 55331, 8487, 8739, 55332, 55333, 55334, 55335, 8777, 1085, 55336, 55337, 8817, 8815,
  8956, 8715, 55338, 8816, 8814, 172, 8832, 8833, 35, 1086, 55339, 10689, 937, 10688, 10845, 10843, 8741, 1087, 55340,
  966, 982, 10931, 10927, 968, 55341, 1088, 174, 55342, 961, 8207, 8625, 10932, 10928, 1089, 55343, 173, 8764, 10922,
  47, 9633, 8834, 8721, 8835, 964, 1090, 55344, 8868, 1091, 55345, 168, 1074, 8744, 55346, 55347, 55348, 1099, 165,
  55349, 1079, 55350, 8205, 55351, 55352, 196, 10983, 914, 55353, 8492, 1063, 169, 266, 8450, 55354, 1026, 1029, 1039,
  8609, 55355, 55356, 278, 55357, 8496, 10867, 203, 55358, 8497, 1027, 288, 55359, 55360, 8461, 8459, 1045, 1025, 304,
  55361, 921, 8464, 207, 55362, 55363, 1061, 1036, 55364, 55365, 1033, 10218, 8606, 55366, 8466, 55367, 8499, 1034,
  8469, 55368, 55369, 55370, 214, 8473, 55371, 34, 8474, 55372, 10219, 8608, 8477, 8475, 1064, 55373, 8730, 55374, 8902,
  1062, 55375, 55376, 8607, 55377, 978, 55378, 220, 10987, 8214, 55379, 55380, 55381, 55382, 55383, 55384, 1071, 1031,
  1070, 55385, 55386, 376, 1046, 379, 918, 8484, 55387, 10844, 10842, 10660, 55388, 8779, 39, 55389, 228, 10989, 9141,
  946, 8502, 8976, 55390, 9552, 9553, 9472, 9474, 55391, 8765, 92, 8226, 8782, 55392, 267, 162, 1095, 10691, 710, 8791,
  8705, 8773, 55393, 169, 55394, 10959, 10960, 55395, 8659, 10597, 8595, 8208, 8900, 1106, 55396, 55397, 1109, 10742,
  9663, 1119, 8785, 8790, 279, 8195, 8194, 55398, 8917, 949, 8495, 8770, 235, 8364, 33, 9837, 402, 55399, 8916, 55400,
  289, 8807, 55401, 1107, 10890, 10888, 55402, 8458, 8819, 10919, 55403, 8660, 189, 8596, 8463, 55404, 55405, 1077,
  8887, 1105, 55406, 953, 55407, 8712, 239, 55408, 55409, 1093, 1116, 55410, 55411, 8656, 10594, 10216, 8592, 10925,
  123, 10550, 8626, 8806, 55412, 1113, 10889, 10887, 55413, 10731, 40, 55414, 8818, 91, 10918, 9667, 55415, 175, 9794,
  10016, 10971, 8230, 55416, 55417, 55418, 55419, 55420, 55421, 160, 10819, 10818, 8817, 55422, 8815, 8954, 1114, 8229,
  8816, 55423, 8740, 55424, 8742, 55425, 55426, 55427, 8769, 8836, 8837, 8825, 8824, 55428, 55429, 55430, 55431, 55432,
  8859, 8858, 10808, 8857, 731, 8750, 10678, 55433, 10679, 170, 186, 10838, 8500, 8856, 246, 182, 8706, 8869, 981, 43,
  55434, 10935, 8826, 10933, 8719, 8733, 55435, 10764, 55436, 55437, 34, 8658, 10596, 55438, 10217, 8594, 125, 10551,
  8627, 8476, 9645, 1009, 730, 55439, 41, 55440, 93, 9657, 10936, 10934, 8901, 167, 59, 10038, 1096, 8771, 10910, 10909,
  8739, 10924, 10692, 55441, 8741, 9642, 55442, 9734, 10949, 8838, 8827, 9834, 185, 178, 179, 10950, 8839, 9140, 8411,
  8749, 10536, 55443, 10537, 8796, 55444, 1094, 8657, 10595, 8593, 55445, 965, 55446, 9653, 252, 8661, 10984, 8597, 124,
  55447, 55448, 55449, 55450, 8898, 8899, 10236, 8955, 55451, 55452, 8897, 1103, 1111, 55453, 55454, 1102, 255, 380,
  950, 1078, 55455, 55456, 8204, 198, 194, 913, 256, 260, 197, 728, 264, 8759, 10799, 10980, 916, 202, 274, 280, 10869,
  915, 284, 711, 292, 306, 206, 298, 302, 1030, 308, 1028, 922, 338, 212, 332, 937, 8243, 10512, 348, 931, 222, 8482,
  1035, 920, 8764, 1038, 219, 362, 8899, 370, 8869, 366, 8875, 8873, 372, 8896, 374, 226, 180, 230, 8501, 945, 257,
  10815, 8736, 8735, 197, 261, 229, 8776, 10769, 8780, 8222, 1014, 9251, 9618, 9617, 9619, 9608, 9559, 9556, 9558, 9555,
  9574, 9577, 9572, 9575, 9565, 9562, 9564, 9561, 9580, 9571, 9568, 9579, 9570, 9567, 9557, 9554, 9488, 9484, 9573,
  9576, 9516, 9524, 9563, 9560, 9496, 9492, 9578, 9569, 9566, 9532, 9508, 9500, 728, 8271, 8909, 10693, 10926, 8783,
  8257, 711, 10829, 265, 10828, 184, 10003, 9827, 58, 44, 8629, 10007, 10961, 10962, 8943, 8926, 8927, 10821, 8910,
  8911, 8753, 8867, 733, 8650, 948, 8643, 8642, 9830, 8946, 8784, 8945, 9662, 8693, 10607, 10871, 234, 8786, 275, 8709,
  281, 10865, 1013, 8770, 8801, 8787, 10609, 8784, 8707, 64256, 64257, 55457, 64258, 9649, 10969, 8260, 8994, 947, 285,
  10921, 8503, 8809, 8935, 96, 10894, 10896, 10874, 8919, 8621, 293, 8703, 238, 161, 8749, 8489, 307, 299, 8465, 305,
  437, 8734, 303, 10812, 8953, 8948, 8712, 1110, 309, 567, 1108, 954, 8666, 10510, 10641, 171, 8676, 55458, 10508,
  10098, 10635, 8968, 8220, 10920, 8637, 8636, 9604, 8647, 9722, 8808, 8934, 10220, 8701, 10214, 10629, 8646, 8651,
  8895, 10893, 10895, 8216, 10873, 8918, 8884, 9666, 8762, 8212, 181, 8722, 8888, 8711, 55459, 329, 9838, 55460, 8775,
  8211, 8663, 8599, 55461, 55462, 55337, 8821, 8654, 8622, 10994, 8653, 8602, 55338, 8814, 8820, 8938, 8713, 8716,
  55463, 8832, 8655, 8603, 8939, 8772, 8740, 8742, 55464, 8840, 8833, 55465, 8841, 8199, 55466, 8662, 8598, 244, 8861,
  339, 10687, 10677, 8634, 10686, 8254, 333, 969, 10681, 8853, 8635, 8500, 9021, 11005, 9742, 8862, 10866, 163, 8828,
  8242, 10937, 8830, 63, 8667, 10511, 8730, 10642, 10661, 187, 8677, 10547, 8605, 8758, 10509, 10099, 10636, 8969, 8221,
  8477, 8641, 8640, 8644, 8652, 10990, 10221, 8702, 10215, 10630, 8649, 8217, 8885, 9656, 8218, 8829, 349, 10938, 8831,
  8865, 10854, 8664, 8600, 8726, 9839, 963, 8771, 10912, 10911, 8774, 8592, 8995, 55467, 8851, 8852, 8847, 8848, 8594,
  9733, 175, 10955, 8842, 10956, 8843, 8665, 8601, 223, 952, 8776, 254, 732, 215, 8482, 10701, 1115, 8812, 1118, 251,
  8645, 10606, 8639, 8638, 9600, 9720, 363, 371, 8846, 978, 367, 9721, 8944, 9652, 8648, 10985, 8872, 982, 8866, 8794,
  8882, 55468, 55469, 8733, 8883, 373, 8743, 9711, 9661, 10234, 10231, 10232, 10229, 10752, 10233, 10230, 9651, 375,
  193, 258, 192, 8788, 195, 8966, 8782, 262, 268, 199, 10868, 8751, 8781, 8225, 270, 8412, 272, 201, 282, 200, 8707,
  8704, 988, 286, 290, 1066, 294, 205, 204, 296, 1032, 310, 313, 923, 317, 315, 319, 321, 323, 327, 325, 209, 211, 336,
  210, 216, 213, 10807, 340, 10518, 344, 342, 1065, 1068, 346, 352, 350, 9633, 8912, 8913, 356, 354, 358, 218, 364, 368,
  217, 360, 10982, 8214, 8874, 221, 377, 381, 225, 259, 224, 10837, 8737, 8738, 10863, 8776, 227, 8893, 8965, 8757,
  8492, 8898, 8899, 8897, 10509, 8869, 8904, 10697, 8245, 166, 8226, 8783, 263, 10820, 10827, 10823, 10816, 269, 231,
  8791, 10991, 8788, 64, 8728, 8750, 8720, 8471, 8630, 10822, 10826, 8845, 8631, 164, 9005, 8224, 8504, 271, 10623, 247,
  8903, 8990, 8973, 36, 8991, 8972, 273, 233, 10862, 283, 8789, 232, 10904, 10903, 8709, 8196, 8197, 10723, 8790, 61,
  8799, 9792, 64259, 64260, 8704, 189, 8531, 188, 8533, 8537, 8539, 8532, 8534, 190, 8535, 8540, 8536, 8538, 8541, 8542,
  501, 989, 287, 10880, 10900, 10645, 10616, 8919, 8819, 8202, 8459, 1098, 9829, 8230, 8889, 8763, 8213, 8463, 295,
  8259, 8208, 237, 236, 10764, 10716, 8453, 305, 8890, 191, 8947, 297, 1112, 1008, 311, 312, 10523, 314, 8466, 955,
  10216, 10525, 8617, 8619, 10553, 8610, 10521, 123, 91, 318, 316, 8222, 10879, 10899, 10620, 8970, 10602, 10603, 320,
  9136, 10797, 8727, 95, 10643, 10605, 8249, 8218, 322, 8907, 8905, 10614, 10646, 8614, 9646, 10793, 42, 10992, 183,
  8863, 8760, 8723, 8871, 8766, 8879, 8878, 324, 55470, 328, 326, 10532, 8802, 10536, 8708, 8940, 55471, 55472, 8928,
  55473, 55474, 8941, 8929, 8772, 241, 8470, 8877, 10500, 8876, 10498, 10499, 10531, 10535, 243, 337, 10684, 242, 8854,
  8886, 248, 245, 8855, 10995, 37, 46, 8240, 8499, 8463, 8463, 8724, 10789, 177, 10927, 8473, 8936, 8733, 8880, 8200,
  8279, 10524, 341, 10217, 10613, 10526, 8618, 8620, 10565, 8611, 10522, 125, 93, 345, 343, 8221, 10621, 8971, 10604,
  9137, 10798, 10644, 8250, 8217, 8908, 8906, 347, 353, 351, 8937, 10533, 10537, 8994, 1097, 962, 962, 10858, 10803,
  1100, 9023, 9824, 55475, 55476, 8849, 8850, 9633, 9642, 8726, 8995, 8902, 10941, 8834, 10951, 10965, 10963, 10928,
  10942, 8835, 10952, 10964, 10966, 10534, 10538, 8982, 357, 355, 8981, 8756, 977, 8201, 8764, 8864, 10800, 9014, 10993,
  8244, 9708, 359, 250, 365, 369, 10622, 249, 8988, 8975, 8989, 8974, 361, 10652, 981, 1009, 8891, 8942, 124, 55477,
  55478, 55479, 55480, 10847, 8793, 8472, 8768, 10753, 10754, 10758, 10756, 8896, 253, 378, 382, 8488, 8757, 8493, 8752,
  184, 8900, 8868, 8712, 917, 8658, 8867, 10, 8288, 8814, 927, 8254, 8719, 8593, 8657, 933, 8501, 8894, 9084, 8781,
  8765, 8757, 10672, 8812, 9711, 10752, 9733, 55481, 8862, 10832, 10674, 10690, 8788, 10861, 10552, 10549, 10557, 10556,
  10511, 8225, 10871, 10673, 8900, 989, 8724, 10662, 949, 8789, 10872, 10882, 10876, 8823, 10568, 10812, 8949, 10527,
  10611, 10639, 10637, 10599, 10881, 8918, 8822, 8818, 10804, 9674, 10875, 10598, 10016, 10794, 8777, 9838, 8599, 8708,
  8713, 8951, 8950, 8716, 8958, 8957, 10772, 55425, 8930, 8931, 55468, 55426, 55469, 10718, 55482, 55483, 8598, 10683,
  959, 8500, 10839, 8241, 8462, 10786, 10790, 10791, 8830, 10774, 8799, 10528, 10612, 10638, 10640, 10601, 8475, 10805,
  10600, 8600, 10788, 10610, 10947, 10945, 10943, 10617, 8831, 10968, 10948, 10185, 10967, 10619, 10946, 10944, 8601,
  10970, 10809, 10811, 8593, 965, 10663, 10650, 8669, 10513, 8784, 8747, 10913, 8800, 8769, 8706, 8826, 8866, 8827,
  8715, 8835, 10569, 95, 10840, 10664, 10665, 10666, 10667, 10668, 10669, 10670, 10671, 10653, 8778, 8755, 8780, 8965,
  9142, 10753, 10758, 10756, 8896, 8863, 8864, 10184, 10825, 174, 9416, 10768, 9827, 10824, 8910, 8754, 8785, 8760,
  10512, 10239, 9191, 8709, 10725, 10765, 10878, 10884, 10890, 10533, 10534, 8464, 8465, 10717, 8484, 8890, 10775,
  10676, 10571, 10877, 10883, 8990, 10889, 8991, 10570, 8613, 8888, 8469, 55484, 55485, 10806, 8741, 10787, 10773,
  10933, 8936, 9006, 8978, 8979, 10675, 8476, 10770, 10702, 10771, 8726, 8739, 10724, 8847, 8848, 8838, 10934, 8937,
  8839, 977, 8764, 10801, 9653, 10810, 9186, 8988, 8989, 1008, 962, 977, 8726, 183, 8857, 8801, 8720, 168, 8595, 785,
  8659, 8783, 8592, 8970, 8656, 8818, 8499, 8723, 8813, 8708, 55468, 9182, 177, 8756, 8201, 8411, 8846, 8245, 8909,
  10754, 183, 10003, 8450, 8865, 8595, 10886, 8923, 55403, 9829, 8592, 8922, 55415, 55422, 55423, 8742, 8740, 8840,
  8841, 8916, 8474, 9824, 10949, 8842, 10950, 8843, 8756, 8796, 8733, 8492, 8853, 8770, 8497, 8520, 8466, 8636, 8666,
  8713, 8815, 8759, 8594, 8971, 8658, 55486, 8771, 8776, 9183, 10514, 8613, 8859, 8705, 8911, 10902, 10892, 10885,
  10891, 9136, 10236, 8615, 8612, 8653, 8602, 55464, 55465, 10935, 8594, 9137, 8849, 8850, 10955, 10936, 10956, 8648,
  1013, 8709, 8854, 8855, 8652, 8823, 8968, 8822, 8287, 55419, 8832, 8833, 55469, 9140, 8640, 8667, 10740, 8728, 8852,
  8838, 8597, 8661, 8739, 1014, 9642, 8858, 8861, 8926, 8927, 9830, 10901, 8496, 8655, 8603, 8828, 10937, 8461, 981,
  8829, 10938, 8776, 8597, 10515, 8615, 8519, 8805, 8819, 8459, 8782, 8898, 8676, 8612, 8882, 8639, 8802, 55470, 8816,
  8820, 8733, 8969, 10608, 8593, 8847, 9141, 124, 10731, 8519, 8787, 9663, 9667, 55478, 55480, 8289, 8518, 10980, 8657,
  10586, 10578, 8806, 10229, 10232, 55462, 8772, 8777, 8460, 10927, 8830, 8677, 8614, 8883, 8638, 10928, 8831, 8839,
  10606, 8768, 8202, 9651, 9652, 8903, 8786, 8617, 8610, 8636, 10229, 8619, 8737, 8938, 8741, 8726, 9657, 8639, 55477,
  55479, 729, 8872, 8637, 10914, 9472, 8291, 8290, 8643, 8596, 8660, 10877, 10230, 10233, 8601, 8810, 8825, 8824, 8840,
  8740, 8216, 8715, 10587, 10579, 8595, 8592, 8848, 8773, 8598, 8203, 8630, 8966, 8650, 8618, 8647, 8596, 8907, 10230,
  8620, 8742, 8939, 8611, 8640, 8884, 8638, 8217, 8750, 8659, 8656, 8641, 10574, 10703, 10592, 10584, 8600, 8817, 8821,
  55460, 8938, 55487, 9180, 8642, 8594, 8599, 9661, 8634, 8631, 8643, 8637, 8646, 8654, 8622, 8940, 8644, 8605, 8908,
  1013, 8885, 8882, 180, 96, 732, 8658, 8693, 9723, 8923, 8807, 10216, 10577, 8922, 160, 55425, 8939, 55426, 55488,
  8841, 10704, 10588, 10580, 9181, 8645, 8635, 8642, 8941, 8641, 8649, 8606, 8883, 8661, 8741, 10590, 10582, 9724,
  10878, 10214, 10593, 10585, 8884, 8203, 55418, 55423, 55489, 8716, 55490, 8775, 10217, 10575, 8849, 10072, 9662, 9666,
  8651, 8652, 8608, 10591, 10583, 10231, 10234, 8203, 55491, 8828, 8651, 10215, 10589, 10581, 8885, 8851, 8829, 9656,
  10231, 10232, 10576, 8646, 8203, 55337, 55492, 8644, 8850, 8621, 8517, 8660, 10233, 9643, 8811, 8742, 55422, 8940,
  8930, 8220, 10607, 8221, 8751, 9642, 8203, 8928, 8941, 8929, 733, 8931, 55493, 8754, 10234, 8755,
};
inline constexpr char16_t reference_pairs[198][2] = {
  {55349, 56580}, {55349, 56581}, {55349, 56583}, {55349, 56584}, {55349, 56585}, {55349, 56586}, {55349, 56589},
  {55349, 56590}, {55349, 56591}, {55349, 56592}, {55349, 56593}, {55349, 56594}, {55349, 56595}, {55349, 56596},
  {55349, 56598}, {55349, 56599}, {55349, 56600}, {55349, 56601}, {55349, 56602}, {55349, 56603}, {55349, 56604},
  {8766, 819}, {55349, 56606}, {55349, 56607}, {61, 8421}, {55349, 56608}, {55349, 56609}, {55349, 56610},
  {55349, 56611}, {55349, 56612}, {55349, 56613}, {55349, 56614}, {55349, 56615}, {55349, 56616}, {55349, 56617},
  {55349, 56618}, {8921, 824}, {8811, 8402}, {8920, 824}, {8810, 8402}, {55349, 56619}, {8807, 824}, {8806, 824},
  {55349, 56620}, {55349, 56621}, {55349, 56622}, {55349, 56623}, {55349, 56624}, {55349, 56625}, {55349, 56626},
  {55349, 56627}, {55349, 56628}, {55349, 56629}, {55349, 56630}, {55349, 56631}, {55349, 56632}, {55349, 56476},
  {55349, 56633}, {55349, 56478}, {55349, 56635}, {55349, 56479}, {55349, 56636}, {55349, 56637}, {55349, 56638},
  {55349, 56482}, {55349, 56640}, {55349, 56641}, {55349, 56485}, {55349, 56642}, {55349, 56486}, {55349, 56643},
  {55349, 56644}, {55349, 56489}, {55349, 56646}, {55349, 56490}, {55349, 56491}, {55349, 56492}, {55349, 56650},
  {55349, 56494}, {55349, 56651}, {55349, 56495}, {55349, 56652}, {55349, 56496}, {55349, 56653}, {55349, 56497},
  {55349, 56654}, {55349, 56498}, {55349, 56655}, {55349, 56499}, {55349, 56656}, {55349, 56500}, {55349, 56501},
  {55349, 56658}, {55349, 56502}, {55349, 56659}, {55349, 56503}, {8745, 65024}, {55349, 56660}, {55349, 56504},
  {8746, 65024}, {55349, 56661}, {55349, 56505}, {55349, 56662}, {55349, 56663}, {55349, 56507}, {8923, 65024},
  {55349, 56664}, {8809, 65024}, {55349, 56665}, {55349, 56509}, {55349, 56666}, {55349, 56510}, {55349, 56667},
  {55349, 56511}, {55349, 56668}, {55349, 56512}, {8922, 65024}, {55349, 56669}, {55349, 56513}, {8808, 65024},
  {55349, 56670}, {55349, 56514}, {8811, 824}, {8810, 824}, {8736, 8402}, {10864, 824}, {10878, 824}, {10877, 824},
  {55349, 56671}, {10927, 824}, {10928, 824}, {55349, 56515}, {8781, 8402}, {8805, 8402}, {62, 8402}, {8804, 8402},
  {60, 8402}, {55349, 56672}, {55349, 56673}, {55349, 56517}, {55349, 56674}, {55349, 56518}, {8765, 817},
  {55349, 56675}, {55349, 56519}, {55349, 56676}, {55349, 56520}, {55349, 56677}, {55349, 56521}, {55349, 56678},
  {55349, 56522}, {55349, 56679}, {55349, 56523}, {55349, 56680}, {55349, 56524}, {55349, 56681}, {55349, 56525},
  {55349, 56682}, {55349, 56526}, {55349, 56683}, {55349, 56527}, {102, 106}, {10925, 65024}, {8779, 824}, {8782, 824},
  {8784, 824}, {8770, 824}, {8706, 824}, {10949, 824}, {10950, 824}, {8764, 8402}, {10924, 65024}, {8834, 8402},
  {8835, 8402}, {8783, 824}, {8953, 824}, {11005, 8421}, {10547, 824}, {8605, 824}, {8851, 65024}, {8852, 65024},
  {10955, 65024}, {8842, 65024}, {10956, 65024}, {8843, 65024}, {8801, 8421}, {8884, 8402}, {8885, 8402}, {10861, 824},
  {8949, 824}, {8287, 8202}, {8847, 824}, {8831, 824}, {10913, 824}, {8848, 824}, {10703, 824}, {10704, 824},
  {10914, 824},
};

// The characters for the numbers 128 to 159, as in windows-1252.
inline constexpr char16_t reference_windows[32] = {
  0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f,
  0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
};

// clang-format on
}  // namespace neardup::inline v0::detail

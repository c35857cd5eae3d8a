"""Words for one thing in several languages, choices that exclude each other, and light words.

Nothing here belongs to one application: it is the common vocabulary of work, software and daily
life, so that "budget" and "spending" are seen as one subject, "staging" and "production" as two,
and "Monday" and "Friday" as values of one kind.
"""

from __future__ import annotations

from orchestrator_context.conversation.digest.lexicon import Lexicon

__all__ = ["CHOICES", "CONCEPTS", "CONTRASTS", "LIGHT", "ROLES"]

CONCEPTS = Lexicon(
    {
        "money": """budget*; spend*; spent; cost*; expens*; expenditure*; price*; fund*; payment*;
            ausgabe*; ausgeben; kosten; preis*; etat; geld; dépens*; coût*; prix; fonds; gasto*;
            gastar; presupuesto*; coste*; precio*; бюджет*; расход*; трат*; стоимост*; цен*;
            预算; 花费; 费用; 开支; 支出; 成本; 予算; 費用; 支出; 出費; コスト""",
        "ceiling": """limit*; cap; caps; capped; ceiling*; maximum; max; threshold*; quota*; below;
            under; exceed*; pass; surpass*; beyond; at most; no more than; obergrenze*;
            grenze*; höchst*; maximal*;
            deckel*; plafond*; maximal*; límite*; tope*; máxim*; лимит*; предел*; максим*; не более;
            上限; 限制; 限额; 最多; 不超过; 制限; 最大; 超え""",
        "due": """deadline*; due; timing; schedul*; target date; cutoff; cut-off; date; frist*;
            termin*; stichtag; abgabe*; datum; échéance*; délai*; date limite; plazo*; fecha*;
            срок*;
            дедлайн*; дата; 截止; 期限; 日期; 締め切り; 締切; 日程; 期日""",
        "release": """releas*; launch*; ship; ships; shipped; shipping; rollout; go-live; publish*;
            veröffentlich*; auslieferung*; start; markteinführung; publication; lancement; sortie;
            livraison; lanzamiento; publicación; entrega; релиз*; запуск*; выпуск*; выход;
            发布; 上线; 发版; リリース; 公開; ローンチ""",
        "name": """codename*; code name; named; called; calling; call; label*; designated;
            designation;
            refer; refers; alias; nickname*; dubbed; titled; title; genannt; nennen; heißt;
            codewort;
            deckname*; bezeichn*; nom; appel*; s'appelle; nommé*; intitulé*; nombre; llama;
            llamamos;
            denomin*; назван*; называ*; имя; зовут; 代号; 名称; 叫做; 称为; 命名; 名前; 呼ぶ;
            呼び; コードネーム""",
        "duty": """on-call; on call; oncall; pager; duty; shift; standby; escalation*;
            bereitschaft*; rufbereitschaft; schicht; notdienst; astreinte; garde; guardia; turno;
            дежур*; смен*; 值班; 轮值; 待命; 当番; オンコール; 当直""",
        "owner": """own; owns; owner*; owned; belongs; responsib*; charge; lead; leads; handl*;
            takes over;
            took over; assigned; assignee; runs; manag*; looks after; zuständig*; verantwort*;
            leitet;
            übernimmt; leitung; betreut; responsab*; s'occupe; dirige; charg*; gère; encarg*;
            ответствен*; отвечает; руковод*; ведёт; ведет; 负责; 负责人; 归; 担当; 責任者;
            引き継""",
        "approve": """approv*; sign off; signs off; sign-off; consent*; authoris*; authoriz*;
            permission;
            okay; green light; genehmig*; freigabe*; freigeb*; zustimm*; einverständnis; approuv*;
            approbation; autoris*; validation; aprob*; aprueb*; autoriz*; visto bueno; одобр*;
            соглас*; утвержд*; разреш*; 批准; 审批; 同意; 许可; 承認; 許可""",
        "review": """review*; inspect*; audit*; prüf*; begutacht*; relecture; relire; relu*; revis*;
            revue; ревью; провер*; рецензи*; 审查; 审核; 评审; 复核; レビュー; 確認; 査読""",
        "secret": """reveal*; disclos*; share*; sharing; expose*; leak*; tell; publish;
            mention; divulge*;
            give away; hand out; pass on; verrat*; preisgeb*; weitergeb*; teilen; offenleg*; nennen;
            divulgu*; révél*; partag*; communiqu*; revel*; divulg*; compart*; раскры*; разглаш*;
            сообща*; передава*; 泄露; 透露; 公开; 告诉; 分享; 漏ら; 開示; 公開; 教え; 共有""",
        "send": """send*; sent; transmit*; upload*; transfer*; forward*; leave; leaves;
            schick*; send*;
            übertrag*; übermitt*; hochlad*; envoy*; transmet*; transfér*; envi*; transmit*; отправ*;
            отсыл*; переда*; 发送; 传输; 上传; 传给; 送信; 送; 転送""",
        "outside": """external*; outside; third-party; third party; externe*; extern;
            außerhalb; tiers;
            extérieur*; extern*; tercer*; внешн*; сторонн*; 外部; 第三方; 社外""",
        "clock": """time; times; timestamp*; clock*; timezone*; time zone*; uhrzeit*; zeit; zeiten;
            zeitangab*; zeitstempel*; zeitzone*; heure*; horodat*; fuseau*; hora; horas; horari*;
            huso*; врем*; час; пояс*; 时间; 时区; 时刻; 時刻; 時間; タイムゾーン""",
        "show": """report*; show*; display*; put; puts; express; state; stated; present; give;
            given;
            anzeig*; angeb*; ausgeb*; darstell*; affich*; indiqu*; mostrar; muestr*; indic*;
            expres*;
            показыв*; указыв*; 显示; 报告; 标注; 表示; 表記; 報告""",
        "answer": """answer*; repl*; respon*; output*; antwort*; erwider*; réponse*; répon*;
            respuest*;
            respond*; ответ*; отвеча*; 回答; 回复; 答复; 返答; 回答; 返事""",
        "style": """style*; tone; voice; wording; format*; manner; stil; ton; tonfall;
            ausdruck*; estilo;
            tono; стил*; тон; манер*; 风格; 语气; 文体; 口調; スタイル""",
        "measure": """unit; units; measure*; metric; imperial; einheit*; maß*; unité*; mesur*;
            unidad*;
            medid*; единиц*; мер; 单位; 度量; 単位""",
        "branch": """branch*; rebas*; checkout; checked out; zweig*; branche*; rama*; ветк*; 分支;
            ブランチ""",
        "commit": """commit*; revision; hash; sha; коммит*; 提交; コミット""",
        "port": """port; ports; puerto*; порт*; 端口; ポート""",
        "server": """server*; host*; machine*; instance*; node; nodes; rechner; serveur*; machine*;
            servidor*; сервер*; узел; 服务器; 主机; サーバー; サーバ; ホスト""",
        "database": """database*; db; datenbank*; base de données; données; base de datos;
            datos; баз*;
            数据库; データベース""",
        "region": """region*; zone; location*; standort*; région*; región; ubicación; регион*;
            区域; 地区;
            リージョン; 地域""",
        "address": """url; address*; endpoint*; link; adresse*; dirección; адрес*; ссылк*;
            地址; 网址; 链接;
            アドレス; エンドポイント""",
        "password": """password*; passcode*; pin; code; codes; key; keys; secret*; credential*;
            token;
            passwort; kennwort; zugangscode; schlüssel; mot de passe; clé*; contraseña*; clave*;
            código*; парол*; код*; ключ*; 密码; 口令; 密钥; 代码; パスワード; 暗証; 鍵; コード""",
        "deploy": """deploy*; rollout; ausroll*; bereitstell*; déploi*; déploy*; desplieg*;
            despleg*;
            деплой; развёртыва*; развертыва*; выкат*; 部署; デプロイ""",
        "meeting": """meeting*; call; standup; sync; appointment*; besprechung*; treffen; sitzung*;
            réunion*; rendez-vous; reunión; cita; встреч*; совещани*; созвон*; 会议; 会面;
            会議; 打ち合わせ""",
        "report": """report*; bericht*; rapport*; informe*; reporte*; отчёт*; отчет*; 报告; 报表;
            レポート; 報告書""",
        "example": """example*; sample*; snippet*; beispiel*; exemple*; extrait*; ejemplo*; пример*;
            示例; 例子; 样例; サンプル; 例""",
        "test": """test; tests; tested; testing; testen; teste; prueba*; тест*; 测试; テスト""",
        "retry": """retry; retries; retried; attempt*; wiederhol*; versuch*; tentative*; réessa*;
            reintent*; intento*; повтор*; попыт*; 重试; 尝试; リトライ; 再試行""",
        "timeout": """timeout*; time out; time-out; zeitüberschreitung; zeitlimit; délai;
            таймаут*; 超时;
            タイムアウト""",
        "size": """size*; large; length; größe*; groß; länge; taille; longueur; tamaño;
            longitud; размер*;
            длин*; 大小; 尺寸; 长度; サイズ; 大きさ; 長さ""",
        "person": """people; person*; attendee*; guest*; participant*; gäste; gast; teilnehmer*;
            personne*; invité*; asistente*; invitad*; гост*; участник*; 人; 客人; 参加者; ゲスト""",
        "allergy": """allerg*; intoleran*; unverträglich*; alergi*; аллерг*; 过敏; アレルギー""",
        "phase": """phase*; stage; stages; step; steps; milestone*; etappe*; schritt*; étape*;
            fase*;
            etapa*; paso*; этап*; фаз*; шаг*; 阶段; 步骤; 段階; フェーズ; ステップ""",
        "contact": """contact*; reach; phone*; email; mail; kontakt*; erreich*; telefon*; joindre;
            téléphone; contacto; teléfono; correo; контакт*; телефон*; связ*; 联系; 电话; 邮箱;
            連絡; 電話""",
        "language": """language*; sprache*; langue*; langage*; idioma*; lenguaje*; язык*; 语言;
            言語""",
        "trip": """trip*; travel*; journey*; reise*; voyage*; déplacement*; viaje*; поездк*;
            командировк*;
            旅行; 出差; 差旅; 出張; 旅""",
        "version": """version*; versión; верси*; 版本; バージョン""",
        "backup": """backup*; sicherung*; sauvegarde*; respaldo*; бэкап*; резерв*; 备份;
            バックアップ""",
        "delete": """delet*; remov*; eras*; purg*; wip*; lösch*; entfern*; supprim*; effac*; borr*;
            elimin*; удал*; стира*; 删除; 移除; 清除; 削除; 消去""",
        "customer": """customer*; client; clients; user; users; kunde*; kunden; nutzer*; utilisat*;
            cliente*; usuari*; клиент*; пользовател*; 客户; 用户; 顧客; ユーザー; 利用者""",
        "work": """project*; effort; initiative; undertaking; programme; projekt*; vorhaben;
            projet*;
            chantier; proyecto*; проект*; 项目; プロジェクト; 案件""",
        "next": """next; upcoming; nächst*; prochain*; ensuite; siguiente*; próxim*; следующ*;
            далее;
            очеред*; 下一步; 接下来; 次""",
    }
)

CHOICES = Lexicon(
    {
        "timezone": """utc; gmt; cet; cest; pst; pdt; edt; jst; msk; bst; pacific;
            eastern; mountain; pacific time; eastern time; central time; mountain time;
            central european time; local time; mez; mesz; ortszeit; heure locale;
            московск*; 北京时间; 东京时间; 日本時間; 協定世界時""",
        "weekday": """monday*; tuesday*; wednesday*; thursday*; friday*; saturday*; sunday*;
            montag*;
            dienstag*; mittwoch*; donnerstag*; freitag*; samstag*; sonnabend; sonntag*; lundi;
            mardi;
            mercredi; jeudi; vendredi; samedi; dimanche; lunes; martes; miércoles; jueves; viernes;
            sábado; domingo; понедельник*; вторник*; сред*; четверг*; пятниц*; суббот*; воскресень*;
            周一; 周二; 周三; 周四; 周五; 周六; 周日; 星期一; 星期二; 星期三; 星期四; 星期五;
            星期六;
            星期日; 月曜; 火曜; 水曜; 木曜; 金曜; 土曜; 日曜""",
        "tone": """terse; concise; brief; short; detailed; verbose; elaborate; lengthy; formal;
            informal; playful; warm; friendly; serious; light; dry; casual; polite; blunt; neutral;
            humorous; succinct; chatty; thorough; plain; crisp; knapp*; kurz*; ausführlich*;
            förmlich*; lockere; lockeren; lockerer; freundlich*; sachlich*; verspielt*; bref*;
            brève*; concis*; détaillé*;
            amical*; formel*; breve*; concis*; detallad*; amable*; cercan*; кратк*; подробн*;
            дружелюбн*;
            официальн*; 简短; 简洁; 详细; 正式; 轻松; 友好; 幽默; 簡潔; 詳しい; 丁寧; 砕けた;
            カジュアル; フォーマル""",
        "units": """metric; imperial; metrisch*; métrique*; métric*; метрическ*; 公制; 英制;
            メートル法""",
        "format": """json; yaml; csv; xml; markdown; html; pdf; toml; parquet; bullet*; table;
            prose;
            stichpunkt*; stichwort*; fließtext; tabelle*; liste; listes; puces; tabla*; viñetas;
            列表; 表格; 段落; 箇条書き; 表形式""",
        "programming": """python; javascript; typescript; rust; golang; java; kotlin; swift; ruby;
            php; scala; haskell; perl; elixir; c++; c#; clojure; julia""",
        "tongue": """english; german; french; spanish; chinese; japanese; russian; italian;
            portuguese;
            deutsch; englisch; französisch; spanisch; anglais; allemand; français; espagnol; inglés;
            alemán; francés; español; английск*; немецк*; русск*; 中文; 英文; 英语; 日语;
            日本語; 英語""",
        "color": """red; blue; green; yellow; black; white; purple; orange; pink; grey; gray;
            brown; rot;
            blau; grün; gelb; schwarz; weiß; lila; rouge; bleu*; vert; verte; jaune; noir;
            noire; rojo;
            azul; verde; amarillo; negro; красн*; син*; зелён*; зелен*; жёлт*; чёрн*; бел*;
            红色; 蓝色;
            绿色; 黄色; 黑色; 白色; 赤色; 青色; 緑色; 黒色""",
        "switch": """enabled; disabled; on; off; aktiviert; deaktiviert; eingeschaltet;
            ausgeschaltet;
            activé*; désactivé*; activad*; desactivad*; включен*; выключен*; 启用; 禁用; 开启;
            关闭; 有効; 無効""",
        "frequency": """hourly; daily; weekly; biweekly; fortnightly; monthly; quarterly;
            yearly; nightly;
            stündlich*; täglich*; wöchentlich*; monatlich*; quotidien*; hebdomadaire*;
            mensuel*; diari*;
            semanal*; mensual*; ежедневн*; еженедельн*; ежемесячн*; 每天; 每月; 每日; 毎日; 毎月""",
    }
)

CONTRASTS = Lexicon(
    {
        "env:prod": """production; prod; produktion*; produktiv*; producción; продакшен*; прод;
            боев*; 生产; 正式环境; 本番""",
        "env:stage": """staging; stage; preprod; pre-production; стейджинг*; 预发; 预发布;
            ステージング""",
        "env:test": """test; testing; qa; testumgebung; prueba*; recette; тестов*; 测试; テスト;
            検証""",
        "env:dev": """dev; development; entwicklung*; développement; desarrollo; разработк*;
            开发; 開発""",
        "rank:first": "primary; main; haupt*; primär*; principal*; основн*; 主; プライマリ; 主系",
        "rank:second": """secondary; backup; replica; standby; fallback; spare; ersatz*; secours;
            secondaire*; respaldo; secundari*; резервн*; 备用; 副; 予備; 副系""",
        "level:unit": "unit",
        "level:integration": "integration; end-to-end; e2e",
        "side:in": """internal; inbound; incoming; input; upload*; intern; eingehend*; interne*;
            entrant*; intern*; внутренн*; входящ*; 内部; 上传; 入口; 受信""",
        "side:out": """external; outbound; outgoing; output; download*; extern; ausgehend*;
            externe*; sortant*; extern*; внешн*; исходящ*; 外部; 下载; 出口; 送信""",
        "end:front": "frontend; front-end; client-side; 前端; フロントエンド",
        "end:back": "backend; back-end; server-side; 后端; バックエンド",
        "part:morning": """morning; breakfast; vormittag*; morgens; frühstück*; matin; mañana;
            утр*; 早上; 上午; 朝""",
        "part:noon": "lunch; midday; noon; mittag*; déjeuner; almuerzo; обед*; 午餐; 中午; 昼",
        "part:evening": """evening; dinner; night; abend*; soir*; dîner; noche; cena; вечер*;
            ужин*; 晚上; 晚餐; 夜; 夕""",
        "extent:min": """minimum; min; at least; mindest*; minimal*; mínim*; миним*; 最小; 最少;
            下限""",
        "extent:max": "maximum; max; at most; höchst*; maximal*; máxim*; максим*; 最大; 最多; 上限",
        "span:start": "beginning; opening; beginn*; anfang; début; inicio; начал*; 开始; 開始",
        "span:end": "ending; closing; ende; endet; fin; termina; конец; 结束; 終了",
        "hand:left": """left; link; linke; linken; linker; linkes; links; gauche; izquierd*;
            левый; левая; левой; лево; 左""",
        "hand:right": """right; rechte; rechten; rechter; rechtes; rechts; droit*; derech*;
            правый; правая; правой; право; 右""",
        "way:north": "north; northern; nord; norden; nördlich*; norte; север*; 北",
        "way:south": "south; southern; süd; süden; südlich*; sud; sur; южн*; юг; 南",
        "way:east": "east; eastern; ost; osten; östlich*; este; восточн*; восток; 东; 東",
        "way:west": "west; western; westen; westlich*; ouest; oeste; западн*; запад; 西",
        "height:upper": "upper; top; upstairs; obere*; supérieur*; superior*; верхн*; 上层; 上の",
        "height:lower": """lower; bottom; downstairs; untere*; inférieur*; inferior*; нижн*;
            下层; 下の""",
        "season:spring": "spring; frühling*; frühjahr*; printemps; primavera; весн*; весенн*; 春",
        "season:summer": "summer; sommer*; été; verano; лето; летн*; 夏",
        "season:autumn": "autumn; fall; herbst*; automne; otoño; осен*; 秋",
        "season:winter": "winter*; hiver; invierno; зим*; 冬",
        "kin:mother": """mother; mum; mom; mutter; mama; mère; maman; madre; mamá; мама; маме;
            мать; 妈妈; 母""",
        "kin:father": """father; dad; vater; papa; père; padre; papá; папа; папе; отец; отц*;
            爸爸; 父""",
        "kin:sister": "sister; schwester; sœur; soeur; hermana; сестр*; 姐姐; 妹妹; 姉; 妹",
        "kin:brother": "brother; bruder; frère; hermano; брат*; 哥哥; 弟弟; 兄; 弟",
        "os:ios": "ios; iphone; ipad",
        "os:android": "android",
        "os:windows": "windows",
        "os:linux": "linux; ubuntu; debian",
        "os:mac": "macos; mac",
    }
)

LIGHT = frozenset(
    """user team thing way day week month year today tomorrow yesterday system item new old current
    now run use make do put keep set go get have take give need want work live host show write move
    change start stop come see look say tell know think let try help become mean add place total
    part kind sort case point number value people good well please note quick update correction
    nutzer team tag woche monat jahr heute system neu alt aktuell machen setzen nehmen geben gehen
    équipe jour semaine mois système nouveau actuel faire mettre prendre donner utiliser
    equipo día semana mes sistema nuevo actual hacer poner tomar dar usar
    команда день неделя месяц система новый текущий делать""".split()
)

ROLES = frozenset({"duty", "owner", "approve", "review", "contact", "name"})
"""Concepts whose value is a person: who owns it, who approves it."""

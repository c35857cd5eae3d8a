"""Words that show what a sentence does: forbid, limit, prefer, decide, report a state, withdraw.

They are the grammar and the plain vocabulary of seven languages (English, German, French, Spanish,
Russian, Chinese, Japanese), not names or labels of any application.
"""

from __future__ import annotations

from orchestrator_context.conversation.digest.lexicon import Lexicon

__all__ = ["CUES"]

CUES = Lexicon(
    {
        "forbid": """
            never; must not; mustn't; may not; do not; don't; should not; shouldn't; not allowed;
            forbid*; prohibit*; under no circumstances; in no case; off limits; not permitted;
            cannot be shared; no one may; nobody may; stay away; keep away; must stay free; banned;
            refuse to; avoid; without exception; so no; and no; allergic; allergy; intolerant;
            not to be; not acceptable; out of bounds
            nie; niemals; darf nicht; dürfen nicht; darf kein; darf keine; darf keinen;
            dürfen kein; dürfen keine; nicht erlaubt;
            verboten; untersagt; auf keinen fall; unter keinen umständen; keinesfalls; bitte nicht;
            tabu; nicht gestattet; allergisch; allergie; unverträglich*; sollen nicht;
            soll nicht; darf niemand; verbiete*; vermeide*
            jamais; interdit*; il ne faut pas; ne doit pas; ne doivent pas; en aucun cas;
            défense de;
            ne doit jamais; sous aucun prétexte; évite*; proscrit*; n'est pas autorisé; allergi*
            nunca; jamás; no debe; no deben; prohib*; bajo ninguna circunstancia; en ningún caso;
            no se puede; no se permite; no está permitido; queda prohibido; evita; evite;
            evitar; alérgic*
            никогда; нельзя; запрещ*; запрет*; не должен; не должна; не должны; ни в коем случае;
            ни при каких; недопустимо; не допускается; избегай*; аллерги*
            不要; 不得; 禁止; 绝不; 千万别; 千万不; 不能; 不可以; 严禁; 切勿; 请勿; 不许;
            绝对不; 不准; 避免; 过敏
            禁止; てはいけ; ではいけ; てはなら; ないでください; 決して; 絶対に; しないこと;
            厳禁; ダメ; 避けて; アレルギー
        """,
        "oblige": """
            must; have to; has to; need to; needs to; needs; required; requires; require; shall;
            always; mandatory; obligatory; ensure; make sure; at all times; has got to; compulsory;
            without fail; be sure; is to be; are to be; unless; until; nobody else; no one else
            muss; müssen; musst; immer; ausschließlich; zwingend; pflicht; verpflichtend; sollen;
            erforderlich; stets; notwendig; benötigt; braucht; achte darauf; sorge dafür; unbedingt
            doit; doivent; dois; il faut; toujours; obligatoire*; impérati*; exige*; veillez;
            nécessaire; sans faute; assure-toi; assurez-vous; tant que
            debe; deben; debes; hay que; siempre; obligatori*; requiere*; necesari*; tiene que;
            tienen que; asegúrate; es preciso; sin falta; hasta que
            должен; должна; должно; должны; необходимо; обязательно; всегда; требуется; нужно; надо;
            обязан*; следует
            必须; 必須; 一定要; 务必; 只能; 只允许; 需要; 应当; 应该; 总是; 始终; 仅限; 都要
            必ず; 必要; なければな; べき; 常に; すること; してください; 原則
        """,
        "only": """
            only; solely; exclusively; just the; nothing but; no other
            nur; allein; einzig; seulement; uniquement; ne que; solo; sólo; únicamente; solamente;
            только; лишь; исключительно; 只; 仅; のみ; だけ; 限り
        """,
        "limit": """
            at most; at least; maximum; minimum; max; min; no more than; no less than; up to;
            limit*;
            cap; caps; capped; ceiling; under; below; above; within; deadline; budget; exceed*;
            threshold; quota; between; no later than; not later than; due by; due on;
            allowance; tops
            höchstens; mindestens; maximal; maximum; minimum; obergrenze; untergrenze; grenze;
            unter;
            über; bis zu; frist; deckel; spätestens; innerhalb; überschreiten; limit; abgabetermin;
            stichtag; nicht mehr als
            au plus; au maximum; au moins; limite*; plafond*; moins de; jusqu'à; délai; dépasser;
            dépasse; échéance; date limite; pas plus de; maximum; minimum; seuil
            como máximo; máximo; mínimo; al menos; a lo sumo; límite; tope; menos de; hasta; plazo;
            fecha límite; superar; supere; presupuesto; no más de; umbral
            не более; не менее; максимум; минимум; лимит*; предел*; бюджет*; срок; не позднее;
            превыша*; ограничен*; не больше; дедлайн
            最多; 至少; 不超过; 上限; 下限; 限制; 预算; 以内; 以下; 以上; 截止; 最大; 最小;
            期限; 不少于
            最大; 最小; 以内; 以下; 以上; 上限; 下限; 制限; 予算; 締め切り; 締切; 期限; 超え
        """,
        "prefer": """
            prefer; prefers; preferred; preference; want; wants; would like; i'd like; favourite;
            favorite; would rather; i'd rather; likes; loves; wish; wishes; hates; dislikes;
            likes to; fond of; enjoy*; keen on; best for me; suits me; works best
            bevorzug*; lieber; möchte; möchten; hätte gern; hätte gerne; mag; wünsch*; am liebsten;
            gern; gerne; lieblings*; favorisier*; vorzieh*; ziehe; zieht
            préfér*; préfèr*; veux; veut; voudrai*; aimerai*; souhait*; j'aime; aime; plutôt;
            favori*
            prefier*; preferi*; quiero; quiere; quisiera; me gusta; le gusta; gustaría; desea*;
            favorit*
            предпочита*; хочу; хочет; хотел; хотела; нравится; любим*; лучше; желательно
            喜欢; 希望; 想要; 偏好; 宁愿; 倾向; 最好; 爱; 习惯
            好み; 好き; 希望; ほしい; 欲しい; がいい; 方がいい; 望ん; お願い
        """,
        "decide": """
            decided; decide; agreed; chose; chosen; we'll use; will use; going with; go with;
            settled;
            let's use; opted; picked; approved; decision; concluded; signed off; switching to;
            switched; we use; are using; we'll go; migrating to; adopt*
            beschlossen; entschieden; vereinbart; geeinigt; einigten; entscheidung; wir nehmen;
            wir verwenden; wir nutzen; festgelegt; genehmigt; beschluss; gewählt; nehmen wir;
            verwenden wir; setzen auf
            décidé; décidons; convenu; choisi; on utilise; nous utiliserons; on part sur; décision;
            retenu; validé; opté; on garde; utilisera
            decidido; decidimos; acordado; acordamos; elegido; elegimos; usaremos; decisión;
            vamos a usar; optamos; aprobado; quedamos
            решили; решено; решил*; договорились; выбрали; решение; будем использовать; согласовано;
            утвердили; остановились на
            决定; 商定; 同意; 选择; 选定; 采用; 将使用; 确定; 定为
            決め; 決定; 合意; 採用; 選ん; 選択; ことにし; ことになり
        """,
        "task": """
            next step; next steps; next up; up next; next task; next we; next i; fixed next;
            do next; comes next;
            next on; todo; to do; to-do; pending; blocked; in progress;
            working on; remaining; remains; left to do; current task; waiting for; waiting on;
            awaiting; failing; fails; failed; stuck; ongoing; progress; phase; milestone;
            unresolved;
            on hold; still open; is open; still in; not yet; still needs; afterwards; currently;
            open question; open issue; task; tasks; so far; unpushed; undecided; outstanding;
            we are at;
            i'm planning; i am planning; we're planning; i'm building; we're building;
            i am building;
            i'm trying; i am trying; trying to; i'm working; my goal; the goal; our goal;
            planning to;
            i'm writing; help me; i need help; goal is
            nächster schritt; nächste schritt; nächsten schritt; als nächstes; offen; ausstehend;
            blockiert; in arbeit; aktuell*; derzeit; arbeiten an; wartet auf; warten auf; noch zu;
            aufgabe; danach; fehlgeschlagen; schlägt fehl; schlagen fehl; phase; zurzeit; etappe;
            noch nicht; stehen bei; ich plane; wir planen; ich baue; wir bauen; ich versuche;
            mein ziel;
            unser ziel; hilf mir
            prochaine étape; ensuite; à faire; en attente; bloqué*; en cours; reste à; tâche;
            actuellement; étape; échoue*; phase; pas encore; nous en sommes; je prépare;
            j'essaie; mon objectif; notre objectif; aide-moi
            siguiente paso; próximo paso; pendiente*; bloquead*; en curso; en progreso; falta;
            tarea;
            actualmente; esperando; falla; fallan; fase; a continuación; todavía no; por hacer;
            estoy preparando; estamos preparando; intento; mi objetivo; ayúdame
            следующий шаг; далее; осталось; ожида*; заблокирован*; в работе; в процессе; задача;
            сейчас; текущ*; этап*; падает; падают; ещё не; еще не; на очереди; планирую;
            планируем; пытаюсь; моя цель; помоги
            下一步; 接下来; 待办; 待定; 阻塞; 进行中; 正在; 目前; 当前; 任务; 等待; 失败; 阶段;
            剩下; 还需; 尚未; 打算; 计划; 目标是; 帮我
            次のステップ; 次は; 次に; 次の; 保留; 進行中; 待ち; 作業中; 現在; タスク; 失敗;
            段階; 残り; 未完了; まだ; 計画し; 目標は; 手伝って
        """,
        "goal": """
            i'm planning; i am planning; we're planning; i'm building; we're building;
            i am building;
            i'm trying; i am trying; trying to; my goal; the goal; our goal; planning to; goal is;
            i'm writing; help me; i need help
            ich plane; wir planen; ich baue; wir bauen; ich versuche; mein ziel; unser ziel;
            hilf mir
            je prépare; j'essaie; mon objectif; notre objectif; aide-moi
            estoy preparando; estamos preparando; intento; mi objetivo; ayúdame
            планирую; планируем; пытаюсь; моя цель; помоги; 打算; 计划; 目标是; 帮我
            計画し; 目標は; 手伝って
        """,
        "next": """
            next step; next up; up next; next task; nächster schritt; nächste schritt; als nächstes;
            prochaine étape; siguiente paso; próximo paso; следующий шаг; на очереди; 下一步;
            接下来;
            次のステップ; 次は; current task; aktuelle aufgabe; tâche actuelle; tarea actual;
            当前任务
        """,
        "update": """
            now; instead; changed; changes; change; moves; raises; lowers; becomes; went up;
            went down;
            goes up; goes down; drops to; correction; corrected; actually; update*;
            from now on; moved; move; raise; raised; lower; lowered; increase*; decrease*; reduce*;
            rename*; replaced; replace; replaces; switched; switch; would rather; i'd rather;
            no longer; new; rotated;
            rotation; as of today; going forward; bumped; bump; extended; extend; postponed;
            rescheduled; set to; effective; rebased; revised; revise; turns out; scratch that;
            i meant; make that; push back; pushed back; brought forward; took over; takes over;
            anymore
            ab jetzt; ab sofort; statt; stattdessen; geändert; ändert; ändern; korrektur; doch;
            künftig; neu; neue; neuer; neues; neuen; verschoben; erhöht; erhöhen; gesenkt; senken;
            nunmehr; jetzt; nun; umbenannt; umgebucht; umgetauft; umgestellt; verlegt; ersetzt;
            gewechselt; wechseln; aktualisiert; eigentlich;
            von nun an; heißt jetzt; übernimmt; angehoben; nicht mehr; verlängert
            désormais; maintenant; à la place; changé; change; correction; dorénavant; nouveau;
            nouvelle; déplacé*; reporté*; repoussé*; rebaptisé*; augmenté*; passe à; passons à;
            remplacé*; finalement;
            à partir de maintenant; en fait; plutôt; relevé*; n'est plus; porté; avancé*
            ahora; en lugar de; en vez de; cambiado; cambia; cambió; corrección; a partir de ahora;
            nuevo; nueva; movido; movió; aumentado; sube; subió; baja; pasa a; pasa al; reemplaz*;
            en realidad; finalmente; actualización; ya no; se aplaza; aplazado; se retrasa
            теперь; вместо; изменен*; изменил*; исправлен*; поправка; отныне; нов*; перенес*;
            перенос*;
            увелич*; уменьш*; замен*; на самом деле; обновлен*; больше не; повыш*; сменил*;
            поднял*; переимен*; переехал*; перебронир*;
            поднимаем
            改为; 改成; 改到; 改至; 改用; 现在; 更正; 变更; 从现在起; 今后; 新的; 更新; 调整;
            提高到; 降到; 换成; 其实; 推迟; 提前; 不再
            変更; 今後; 代わりに; 訂正; これから; 新しい; 更新; 引き上げ; 引き下げ; 延期;
            現在は; 今は; やっぱり
        """,
        "withdraw": """
            forget; forget about; ignore what; ignore the; disregard; no longer needed;
            no longer need; no longer applies; no longer apply; not needed anymore; drop the;
            never mind; cancel; cancelled; canceled; lifted; is off; withdrawn; scrap the; revoke*;
            obsolete; doesn't apply; does not apply; no longer required; no longer necessary;
            no longer relevant; skip the; take back; retract*; is void; no longer matters; scrapped
            vergiss; vergesst; vergessen sie; ignorier*; nicht mehr nötig; nicht mehr gebraucht;
            gilt nicht mehr; gelten nicht mehr; aufgehoben; gestrichen; entfällt; hinfällig;
            abgesagt; brauchen wir nicht mehr; erübrigt; zurückgezogen; hat sich erledigt;
            nicht mehr notwendig; nicht mehr erforderlich
            oublie; oubliez; ignore; ignorez; n'est plus nécessaire; plus besoin; annulé*;
            ne s'applique plus; levé*; laisse tomber; n'a plus lieu; abandonné*; caduc
            olvida; olvide; olvídate; ignora; ya no es necesario; ya no es necesaria;
            ya no hace falta; cancelad*;
            ya no se aplica; ya no aplica; anulad*; descarta; queda sin efecto; retirad*
            забудь*; игнорируй*; больше не нужно; больше не нужен; больше не нужна;
            больше не действует; отмен*; не актуальн*;
            неактуальн*; снят*; больше не требуется; не нужно больше
            忘掉; 忘了; 不再需要; 不用了; 取消; 作废; 不再适用; 撤销; 撤回; 忽略; 算了
            忘れて; 不要になり; もう必要ない; もう不要; 取り消; キャンセル; 撤回; 無視して;
            廃止; 適用されな
        """,
        "done": """
            done; finished; completed; complete; fixed; resolved; merged; shipped; solved; closed;
            is live; landed; wrapped up; taken care of; passes now; pass now
            erledigt; fertig; abgeschlossen; behoben; gelöst; fertiggestellt; gemerged; geschafft
            terminé*; fini; finie; résolu*; corrigé*; fusionné*; bouclé*; achevé*
            terminad*; hecho; hecha; completad*; resuelt*; arreglad*; listo; lista; acabad*
            готов*; сделан*; завершен*; завершён*; выполнен*; исправлен*; решен; решён; закончен*
            已完成; 完成了; 做完; 已修复; 搞定; 已解决; 已经完成
            完了; 済み; 終わり; 解決; 修正済; できました; 直しました
        """,
        "permit": """
            allowed; may; can; ok to; okay to; fine to; permitted; feel free; go ahead; green light
            erlaubt; darf; dürfen; kann; können; gestattet; in ordnung
            autorisé*; permis; peut; peuvent; puede; pueden; permitid*; autorizad*
            можно; разрешен*; разрешён*; разрешается; 可以; 允许; 准许; てもいい; 許可; 可能
        """,
        "copula": """
            is; are; was; were; equals; means; runs; lives; called; named; uses; has; holds;
            belongs;
            stands; sits; refers; contains; costs; weighs; measures; starts; ends; lands; owns; 's;
            ist; sind; war; heißt; lautet; läuft; liegt; gehört; hat; kostet; beträgt; beginnt;
            est; sont; était; s'appelle; se trouve; tourne; appartient; coûte; s'élève;
            es; son; era; está; están; se llama; tiene; corre; pertenece; cuesta; queda;
            это; является; находится; называется; равен; имеет; стоит; работает; принадлежит;
            是; 为; 叫; 位于; 在; 属于; 等于; です; である; は; にあり; という
        """,
        "negation": """
            no; not; haven't; hasn't; hadn't; couldn't; wouldn't; isn't; aren't; wasn't;
            doesn't; didn't; mustn't; shouldn't; never; without; none; neither; nor; cannot;
            can't; won't; don't; isn't;
            nothing; nobody; nicht; kein; keine; keinen; keiner; ohne; nie; niemals; weder;
            pas; jamais; aucun; aucune; sans; ni; non; sin; nunca; ningún; ninguna; jamás; tampoco;
            не; нет; без; ни; никогда; нельзя; 不; 没; 无; 勿; 别; 未; ない; ません; なく; ず
        """,
        "error": """
            error; errors; exception; traceback; failure; fatal; crash*; timeout; timed out;
            refused;
            denied; not found; fehler; ausnahme; abgestürzt; erreur; échec; error; fallo; excepción;
            ошибка; сбой; отказ; 错误; 异常; 报错; エラー; 例外; 障害
        """,
        "conditional": """
            if; when; whenever; in case; wenn; falls; sobald; si; lorsque; quand; cuando; si acaso;
            если; когда; 如果; 若; 当; 一旦; もし; 場合
        """,
        "universal": """
            all; every; each; any; everything; everyone; anybody; anyone; whenever; alle; allen;
            aller; jede; jeder; jedes; jeden; jedem; sämtliche*; tous; toutes; tout; chaque; todos;
            todas; todo; cada; все; всех; всё; каждый; каждого; любой; 所有; 每; 全部; 一律;
            すべて; 全て; 毎
        """,
        "first_person": """
            i; me; my; mine; i'd; i'm; i'll; i've; myself; ich; mir; mich; mein; meine; meinen;
            meiner;
            meinem; je; j'ai; j'aime; moi; mon; ma; mes; me; yo; mi; mis; mí; я; мне; меня;
            мой; моя;
            мою; мои; 我; 私; 僕; 俺
        """,
    }
)

"""One scene in five languages that differ in script, and in what stands between two words, if anything does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scene:
    """The sentences of the scene in one language.

    The patterns of ``studies/_profiles/built_in_rules.yaml`` are ``formula`` and ``reoffer``, without accents.
    """

    language: str
    body: str
    label: str
    outcome: str
    history: str
    detail: str  # a further sentence, at odds with nothing
    formula: str  # the stock phrase
    formula_paraphrased: str
    formula_denied: str  # a sentence with the stock phrase that denies it
    reoffer: str  # makes the settled offer again
    reoffer_paraphrased: str
    settled: str  # prose that says the offer, which is pending, was decided long ago
    restated: str  # the label in other words, adding nothing to it
    denied: str  # an outcome that says the offer was declined
    filler: str  # words enough that say nothing
    history_paraphrased: str
    few_with_signs: str = ""  # two words that the signs for their vowels cut into many
    twins: tuple[str, str] = ("", "")  # two texts that differ in the signs for vowels alone


SCENES: tuple[Scene, ...] = (
    Scene(
        language="en",
        body="Nadia lays your résumé on the counter, opens the blue ledger and asks which of two weeks you could lead.",
        label="Take over the night shift",
        outcome="A new badge waits by the door before noon, the late crew answers to you from Monday and ten credits"
        " are added to the account.",
        history="Lamps flicker along the corridor, a courier leans against the lift and rain drips from an umbrella"
        " onto the café tiles.",
        detail="A copy of the roster is pinned beside the kettle.",
        formula="the meeting went well",
        formula_paraphrased="Everyone agreed that the talks could hardly have been better.",
        formula_denied="Nobody could say that the meeting went well, for nothing was agreed.",
        reoffer="they offer you the same contract again",
        reoffer_paraphrased="Once more the papers that you already signed are held out to you.",
        settled="The matter was settled days ago, and there is nothing left to decide.",
        restated="So the hours after dark are yours to run from here on, just as you chose a moment ago.",
        denied="You hand the form back unsigned and tell Nadia that somebody else will have to run the late crew.",
        filler="And so on and so forth, with this and that and some more of it.",
        history_paraphrased="The lights of the passage blink, someone with a parcel rests by the lift and water falls"
        " from an umbrella to the floor.",
    ),
    Scene(
        language="ru",
        body="Нина вытирает стойку, открывает синюю тетрадь, кладёт рядом твоё резюме и спрашивает, какую из двух"
        " недель ты готов вести.",
        label="Взять на себя ночную смену",
        outcome="Новый пропуск ждёт у двери ещё до полудня, вечерняя бригада с понедельника подчиняется тебе, а на"
        " счёт отдела приходит десять кредитов.",
        history="В коридоре мигают лампы, курьер прислонился к лифту, а с зонта на плитку ещё капает дождевая вода.",
        detail="Копия графика висит возле чайника.",
        formula="встреча прошла успешно",
        formula_paraphrased="Все сошлись на том, что лучше переговоры сложиться не могли.",
        formula_denied="Никто не сказал бы, что встреча прошла успешно, ведь договориться не удалось.",
        reoffer="вам снова предлагают тот же договор",
        reoffer_paraphrased="И опять тебе протягивают бумаги, которые ты уже подписал.",
        settled="Дело решено несколько дней назад, и выбирать больше не из чего.",
        restated="Итак, тёмные часы отныне под твоим началом, ровно так, как ты решил минуту назад.",
        denied="Ты возвращаешь бланк без подписи и говоришь Нине, что бригадой придётся руководить кому-то другому.",
        filler="И так далее и тому подобное, то да сё, и ещё немного того же самого.",
        history_paraphrased="Лампы в проходе моргают, посыльный отдыхает у лифта, вода с зонта падает на пол.",
    ),
    Scene(
        language="ar",
        body="تمسح نادية المنضدة وتفتح الدفتر الأزرق وتضع أمامك سيرتك ثم تسألك أي الأسبوعين تستطيع أن تقود.",
        label="تسلم الوردية الليلية",
        outcome="تصلك بطاقة جديدة قبل الظهر ويعمل فريق المساء بإمرتك منذ الاثنين وتضاف عشر نقاط إلى حساب القسم.",
        history="تومض المصابيح في الممر ويستند ساع إلى المصعد بينما يقطر المطر من مظلة على البلاط.",
        detail="علقت نسخة من الجدول قرب إبريق الشاي.",
        formula="سار الاجتماع على ما يرام",
        formula_paraphrased="اتفق الجميع على أن المحادثات ما كان لها أن تكون أفضل.",
        formula_denied="لا أحد يقول إنه سار الاجتماع على ما يرام فلم يتفقوا على شيء.",
        reoffer="يعرضون عليك العقد نفسه من جديد",
        reoffer_paraphrased="ها هم يمدون إليك مرة ثانية الأوراق التي وقعتها.",
        settled="حسم الأمر منذ أيام ولم يبق ما تقرره.",
        restated="إذن صارت ساعات ما بعد الغروب في عهدتك كما قررت قبل لحظة.",
        denied="تعيد الورقة دون توقيع وتقول لنادية إن شخصا آخر سيقود فريق المساء.",
        filler="وهكذا وهلم جرا من هذا وذاك وشيء آخر منه أيضا.",
        history_paraphrased="ترتجف الأنوار في الرواق ويستريح حامل طرد قرب المصعد وينزل الماء من المظلة.",
    ),
    Scene(
        language="zh",
        body="林姐擦干柜台，翻开蓝色账本，把你的简历放在一旁，指着两个日期，问你愿意带哪一周，然后静静等着。",
        label="接手夜班",
        outcome="新工牌午前就发到手，晚班组从周一起听你安排，值班表贴在门边，部门账上多了十个积分，同事们朝你点头。",
        history="走廊里灯光忽明忽暗，快递员靠着电梯，雨水顺着伞尖滴下，前台在找一支笔，没有人说话，钟声敲了三下。",
        detail="排班表就贴在茶壶旁边。",
        formula="会议进行得很顺利",
        formula_paraphrased="大家都说这次会谈好得不能再好。",
        formula_denied="谁也不会说会议进行得很顺利，因为什么都没谈成。",
        reoffer="他们又把同一份合同递给你",
        reoffer_paraphrased="你早已签过的文件再次摆到面前。",
        settled="事情几天前就已定下，没有什么可选的了。",
        restated="从今以后天黑后的事由你做主，正如你刚才所选，没有人反对，也没有人多问，事情就这样定了。",
        denied="你把表格原样退回，没有签字，请林姐另找别人，晚上的班组归别人带，你转身离开。",
        filler="这个那个，如此这般，等等等等，诸如此类，还有一些，再来一点。",
        history_paraphrased="过道的灯一闪一闪，送货的人倚着电梯，伞上的水落到地上，有人在找笔，四下无声，钟响了三次。",
    ),
    Scene(
        language="hi",
        body="मुख्य नर्स मेज़ पर चाय का प्याला रखती है, ड्यूटी की सूची खोलती है और पूछती है कि मार्च में रात को कौन काम कर सकता है।",
        label="रात की पाली का पद स्वीकार करना",
        outcome="सोमवार से वार्ड की चाबियाँ आपके पास रहती हैं और दो सहकर्मी दस बजे आपको रिपोर्ट देते हैं।",
        history="हीटर के ऊपर एक बिल्ली सो रही है और कमरे के अंदर लिफ़्ट की आवाज़ आ रही है।",
        detail="सूची की एक प्रति दीवार पर लगी है।",
        formula="बैठक बहुत सफल रही",
        formula_paraphrased="सभा से सब लोग संतुष्ट होकर निकले।",
        formula_denied="कोई नहीं कह सकता कि बैठक बहुत सफल रही।",
        reoffer="वे आपको वही अनुबंध फिर से देते हैं",
        reoffer_paraphrased="जिसे आपने ठुकराया था, वह एक बार और आपके सामने रखा जाता है।",
        settled="इस बात का फ़ैसला कई दिन पहले हो चुका है।",
        restated="तो अब आप अँधेरा होने के बाद उस नौकरी पर जाएँगे जो उन्होंने दी थी।",
        denied="आप फ़ॉर्म बिना हस्ताक्षर के लौटाते हैं और कहते हैं कि यह काम कोई और करेगा।",
        filler="और यह भी और वह भी और ऐसे ही कुछ और भी।",
        history_paraphrased="लिफ़्ट का शोर सुनाई देता है, और गरम जगह पर एक छोटा जानवर ऊँघ रहा है।",
        few_with_signs="नमस्ते दोस्तों।",
        twins=("मेरा काला घोड़ा दौड़ा।", "मेरी काली घोड़ी दौड़ी।"),
    ),
)
